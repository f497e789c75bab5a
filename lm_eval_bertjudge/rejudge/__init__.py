"""Judging saved answers again."""
