"""MATH."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, per_document, problem


@per_document
def hendrycks_math(doc: Doc) -> Iterator[Doc]:
    """The last box of the solution. A solution without a box is left out."""
    answer = last_boxed(doc["solution"])
    if answer is not None:
        yield problem(doc, doc["problem"], answer)


def last_boxed(solution: str) -> str | None:
    r"""What stands in the last `\boxed{...}` whose braces close; None without one."""
    for box in reversed(list(re.finditer(r"\\boxed\s*\{", solution))):
        depth = 1
        for brace in re.compile(r"\\.|[{}]", re.DOTALL).finditer(solution, box.end()):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if depth == 0:
                return solution[box.end() : brace.start()].strip()
    return None
