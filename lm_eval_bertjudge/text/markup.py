"""Characters and markup: what only decorates a text is taken off it, once for everybody who compares texts."""

from __future__ import annotations

import itertools
import re
import unicodedata

# Zero-width and soft characters, marks of direction, and control characters but tab and newlines.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
)
_FOREIGN_DIGIT = re.compile(r"(?![0-9])\d")
# Full-width forms of ASCII, such as ４２ and （Ａ）.
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_SUPERSCRIPT, _SUBSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹", "₀₁₂₃₄₅₆₇₈₉"
_WRAPPERS = (
    re.compile(r"\\(?:boxed|fbox)\s*\{(.*)\}", re.DOTALL),
    re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{([^{}]*)\}", re.DOTALL),
    re.compile(r"\\[(\[](.*)\\[)\]]", re.DOTALL),
    re.compile(r"\$+([^$]*)\$+", re.DOTALL),
    re.compile(r"\*+([^*]+)\*+", re.DOTALL),
    re.compile(r"`+([^`]+)`+", re.DOTALL),
    re.compile(r"\"([^\"]*)\"|“([^”]*)”|「([^」]*)」", re.DOTALL),
)
_MAX_NESTING = 20  # wrappers around an answer
_SENTENCE_END = re.compile(r"[.!?](?:\s|\Z)|\n")


def strip_invisible(text: str) -> str:
    """A text without characters that a reader cannot see."""
    return _INVISIBLE.sub("", text)


def ascii_digits(text: str) -> str:
    """A text with its digits in ASCII: ٤٢ and ४२ as 42."""
    return _FOREIGN_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


def ascii_width(text: str) -> str:
    """A text with full-width forms of ASCII as ASCII: ４２（Ａ） as 42(A)."""
    return text.translate(_FULL_WIDTH)


def mark_scripts(text: str) -> str:
    """A text with its superscript and subscript digits marked: 10⁶ as 10^6, 34₅ as 34_5."""
    if text.isascii():
        return text
    for mark, digits in (("^", _SUPERSCRIPT), ("_", _SUBSCRIPT)):
        text = re.sub(f"(?<![{digits}])(?=[{digits}])", mark, text)
        text = text.translate(str.maketrans(digits, "0123456789"))
    return text


def has_content(text: str) -> bool:
    """Whether a text says anything, more than white space, punctuation and ASCII signs."""
    return any(map(_is_content, text))


def _is_content(char: str) -> bool:
    if char.isalnum():
        return True
    return not char.isascii() and unicodedata.category(char)[0] not in "PZC"


def strip_markup(answer: str) -> str:
    """An answer without bold, math delimiters, `\\boxed`, quotes and a final period around it."""
    for _ in range(_MAX_NESTING):
        before = answer
        answer = answer.strip("*_`# \t\r\n")
        if answer.endswith((".", "。")) and not answer.endswith(".."):
            answer = answer[:-1].rstrip()
        for pattern in _WRAPPERS:
            if whole := pattern.fullmatch(answer):
                answer = whole[whole.lastindex or 0].strip()
        if answer == before:
            break
    return answer


def normalize_text(text: str) -> str:
    """A text without letter case, accents, leading articles, and punctuation outside numbers."""
    text = text.casefold() if text.isascii() else _without_accents(text)
    has_words = re.search(r"[^\W\d_]{2}", text)
    if has_words and not re.search(r"\d|[\\^=<>+*/]", text):
        text = re.sub(r"['’.]", "", text)
        text = re.sub(r"[^\w\s]|_", " ", text)
        text = re.sub(r"^(?:the|an|a)\s+(?=\S)", "", text.strip())
    return " ".join(text.split())


def _without_accents(text: str) -> str:
    text = unicodedata.normalize("NFKC", mark_scripts(text)).casefold()
    text = unicodedata.normalize("NFKD", text)
    return "".join(itertools.filterfalse(_is_accent, text))


def _is_accent(char: str) -> bool:
    return unicodedata.combining(char) > 0 or unicodedata.category(char) == "Cf"


def sentence_start(text: str) -> int:
    """Where the last sentence or line of a text begins."""
    ends = [end.end() for end in _SENTENCE_END.finditer(text) if end.end() < len(text)]
    return ends[-1] if ends else 0


def first_sentence(text: str) -> str:
    """The first line or sentence of a text."""
    return _SENTENCE_END.split(text.lstrip(), maxsplit=1)[0]
