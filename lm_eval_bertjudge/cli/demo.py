"""`bertjudge demo`."""

from __future__ import annotations

import argparse
import logging
import os
from typing import Any


def add_parser(commands: Any) -> None:
    """Adds the command to `bertjudge`."""
    parser = commands.add_parser(
        "demo", help="30 recorded answers through the real harness, offline"
    )
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> str:
    """The harness's table for the recorded answers, and the answers on which the methods differ."""
    os.environ.setdefault("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
    logging.getLogger("lm_eval").setLevel(logging.ERROR)
    from lm_eval_bertjudge.demo.run import run as judged

    return judged()
