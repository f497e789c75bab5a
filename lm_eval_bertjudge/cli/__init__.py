"""The command `bertjudge`, one file a command; `rejudge` and those that analyse verdicts stand beside their code."""

from lm_eval_bertjudge.cli.main import main

__all__ = ["main"]
