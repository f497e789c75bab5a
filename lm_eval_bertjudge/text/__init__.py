"""How a raw text is read: once, for rules, judges, prompts and training."""
