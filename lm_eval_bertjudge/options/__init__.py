"""A judge's options, described once: the YAML of tasks, the flags of commands and the tables in the documentation."""

from lm_eval_bertjudge.options.description import table
from lm_eval_bertjudge.options.flags import ALL, WHICH_JUDGE, add_flags, chosen, command_line
from lm_eval_bertjudge.options.judge import JudgeOptions, Method
from lm_eval_bertjudge.options.llm import LLMOptions

__all__ = [
    "ALL",
    "WHICH_JUDGE",
    "JudgeOptions",
    "LLMOptions",
    "Method",
    "add_flags",
    "chosen",
    "command_line",
    "table",
]
