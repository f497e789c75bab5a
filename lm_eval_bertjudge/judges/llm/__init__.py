"""The judge that is an LLM: prompts, clients, replies."""
