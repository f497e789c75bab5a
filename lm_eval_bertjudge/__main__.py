"""`python -m lm_eval_bertjudge` is `bertjudge`."""

import sys

from lm_eval_bertjudge.cli import main

sys.exit(main())
