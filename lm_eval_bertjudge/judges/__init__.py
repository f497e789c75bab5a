"""Judges: the encoder, an LLM, and what they share."""
