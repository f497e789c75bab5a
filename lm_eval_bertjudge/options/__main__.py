"""`python -m lm_eval_bertjudge.options` prints the tables of the documentation."""

import sys

from lm_eval_bertjudge.options import JudgeOptions, LLMOptions, table

sys.stdout.write(f"{table(JudgeOptions)}\n\n{table(LLMOptions)}\n")
