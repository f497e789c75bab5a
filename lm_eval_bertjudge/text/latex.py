"""Short texts without notation: LaTeX, typographic signs and digits of other scripts become plain ASCII."""

from __future__ import annotations

import re
import unicodedata

_SUPERSCRIPT, _SUBSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"
_SYMBOLS = {
    **{ord(c): "-" for c in "−–‐‑﹣－"}, ord("×"): "*", ord("·"): "*", ord("⋅"): "*", ord("÷"): "/", ord("⁄"): "/",
    ord("±"): "+-", ord("π"): "pi", ord("∞"): "inf", ord("°"): " degrees", ord("≤"): "<=",
    ord("≥"): ">=",
}  # fmt: skip
_LATEX = (
    (re.compile(r"\\(?:left|right|displaystyle|quad|,|;|!|:| )|\{,\}(?=\d{3})|\\~"), ""),
    (
        re.compile(
            r"\\(?:text|textbf|textit|mathrm|mathbf|mbox|operatorname|boxed)\s*\{([^{}]*)\}"
        ),
        r"\1",
    ),
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
    (re.compile(r"\((\d+(?:\.\d+)?|[a-zA-Z])\)(?=/)|(?<=/)\((\d+(?:\.\d+)?|[a-zA-Z])\)"), r"\1\2"),
    (re.compile(r"\$|\*\*"), ""),
)


def raised_and_lowered(text: str) -> str:
    """A text with its superscript and subscript digits marked: 10⁶ as 10^6, 34₅ as 34_5."""
    for mark, digits in (("^", _SUPERSCRIPT), ("_", _SUBSCRIPT)):
        text = re.sub(f"(?<![{digits}])(?=[{digits}])", mark, text)
        text = text.translate(str.maketrans(digits, "0123456789"))
    return text


def plain(text: str) -> str:
    """A text without LaTeX, with ASCII digits and operators."""
    text = re.sub(r"(?<=\d)(?=[¼-¾⅐-⅞])", " ", raised_and_lowered(text.strip())).translate(_SYMBOLS)
    text = unicodedata.normalize("NFKC", text).translate(_SYMBOLS)
    text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    text = re.sub("[\u200b-\u200f\u2060\ufeff\u00ad]", "", text)
    currency = text[:1] if text[:1] == "$" and text.count("$") == 1 else ""
    for pattern, replacement in _LATEX:
        text = pattern.sub(replacement, text)
    return currency + " ".join(text.split())
