"""Thirty recorded answers through the real harness."""
