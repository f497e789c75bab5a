"""LaTeX: short texts without its notation, and the last box of a long one."""

from __future__ import annotations

import re
import unicodedata

from lm_eval_bertjudge.text.markup import ascii_digits, mark_scripts, strip_invisible

_SYMBOLS = {
    **{ord(c): "-" for c in "−–‐‑﹣－"}, ord("×"): "*", ord("·"): "*", ord("⋅"): "*", ord("÷"): "/", ord("⁄"): "/",
    ord("±"): "+-", ord("π"): "pi", ord("∞"): "inf", ord("°"): " degrees", ord("≤"): "<=",
    ord("≥"): ">=",
}  # fmt: skip
_STYLED = re.compile(
    r"""
    \\(?:text|textbf|textit|mathrm|mathbf|mbox|operatorname|boxed)\s*
    \{([^{}]*)\}                                                       # \text{cm}
    """,
    re.VERBOSE,
)
_BARE_IN_FRACTION = re.compile(
    r"""
    \((\d+(?:\.\d+)?|[a-zA-Z])\)(?=/)                                  # (3)/4
    | (?<=/)\((\d+(?:\.\d+)?|[a-zA-Z])\)                               # 3/(x)
    """,
    re.VERBOSE,
)
# In this order: what one replaces, the next may meet.
_LATEX = (
    (re.compile(r"\\(?:left|right|displaystyle|quad|[,;!: ~])|\{,\}(?=\d{3})"), ""),
    (_STYLED, r"\1"),
    (re.compile(r"\\sqrt\s*\{([^{}]*)\}"), r"sqrt(\1)"),
    (re.compile(r"\\sqrt\s*(\w)"), r"sqrt(\1)"),
    (re.compile(r"√\s*(\d+|\w)"), r"sqrt(\1)"),
    (re.compile(r"√(?=\()"), "sqrt"),
    (re.compile(r"(?<=\d)\s*(?=\\[dt]?frac)"), " "),
    (re.compile(r"\\[dt]?frac\s*(\d)\s*(\d)"), r"\1/\2"),
    (re.compile(r"\\[dt]?frac\s*(\d)\s*\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"\\[dt]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}"), r"(\1)/(\2)"),
    (re.compile(r"\\(?:times|cdot)"), "*"),
    (re.compile(r"\\(?:circ|degree)|\^\s*\{?\s*\\circ\s*\}?"), " degrees"),
    (re.compile(r"\\pm"), "+-"),
    (re.compile(r"\\infty"), "inf"),
    (re.compile(r"\\l(?:e|eq)\b"), "<="),
    (re.compile(r"\\g(?:e|eq)\b"), ">="),
    (re.compile(r"\\([a-zA-Z]+|[%$#&{}])"), r"\1"),
    (re.compile(r"\^\{\s*(-?(?:\d+|[a-zA-Z]))\s*\}"), r"^\1"),
    (re.compile(r"\^\{([^{}]*)\}"), r"^(\1)"),
    (_BARE_IN_FRACTION, r"\1\2"),
    (re.compile(r"\$|\*\*"), ""),
)


_NOTATION = re.compile(r"[\\${}^√\x00-\x08\x0e-\x1f\x7f]|\*\*|\)/|/\(")

_BOX = re.compile(r"\\boxed\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)


def normalize_latex(text: str) -> str:
    """A short text without LaTeX and typographic signs, with ASCII digits and operators.

    10⁶ becomes 10^6, \\pi becomes pi.
    """
    if text.isascii() and not _NOTATION.search(text):
        return " ".join(text.split())
    text = mark_scripts(text.strip())
    text = re.sub(r"(?<=\d)(?=[¼-¾⅐-⅞])", " ", text).translate(_SYMBOLS)
    text = unicodedata.normalize("NFKC", text).translate(_SYMBOLS)
    text = strip_invisible(ascii_digits(text))
    currency = "$" if text.startswith("$") and text.count("$") == 1 else ""
    for pattern, replacement in _LATEX:
        text = pattern.sub(replacement, text)
    return currency + " ".join(text.split())


def last_box(text: str) -> str:
    r"""What stands in the last `\boxed{...}` of a text whose braces close; nothing without one."""
    for box in reversed(list(_BOX.finditer(text))):
        depth = 1
        for brace in _BRACE.finditer(text, box.end()):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if depth == 0:
                return text[box.end() : brace.start()].strip()
    return ""
