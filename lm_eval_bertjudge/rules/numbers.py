"""How numbers are written: in digits with separators, fractions, powers of ten, and in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from text_to_num import alpha2digit, text2num

# Read as those of `Kind.EXAMPLES`.
EXAMPLES = r"""
1234  ==  1,234
1234  ==  1 234.00
18  ==  18.0
-4  ==  −4
-4  ==  minus four
0.5  ==  .5
42  ==  ４２
42  ==  ٤٢
88  ==  eighty-eight
6.02 \times 10^{24}  ==  6.02e24
1.5e-3  ==  1.5 \cdot 10^{-3}
1200  ==  1.2 x 10^3
3*10^5  ==  3×10⁵
3/4  ==  \frac{3}{4}
3/4  ==  \dfrac34
3/4  ==  0.75
3/4  ==  three quarters
3 1/2  ==  3½
7/2  ==  3 1/2
1/3  ==  0.333
5.667  ==  17/3
2\pi  ==  2π
0  ==  0.0
3\frac{1}{2}  ==  7/2
1\frac{4}{5}  ==  1 4/5
18  !=  81
42  !=  2
2/5  !=  5/2
2/5  !=  0.2
1/3  !=  0.3
18  !=  19
18  !=  -19
0  !=  3
3/4  !=  0.5
x = 18  !=  x = 21
eighteen  !=  20
\frac{1}{2}  !=  \frac{1}{3}
3\frac{1}{2}  !=  31/2
1234  ??  1.234
18  ??  18 or 19
18  ??  180
-4  ??  4
3.5  ??  3,5
5  ??  5!
92  ??  a hundred minus eight
23  ??  two three
6.02 \times 10^{24}  ??  6.02 \times 10^{23}
1e3  ??  1e-3
3.33  ??  3.3
18  ??  -18
2018  ??  2019
3.14159  ??  3.14
0.18  ??  18
18  ??  180.5
18  ??  about B
1.234  ??  1,234
Paris  ??  London
June 1931  ??  9 July 1931
4  ??  x > 4
4x - y = 1  ??  y = 4x
2019  ??  2018/2019
17  ??  17/20
1990s  ??  90s
2.5  ??  two and one-half
2/3  ??  0.6 repeating
3.2e-4  ??  3.25e-4
0.33  ??  0.3
34  ??  34₅
100  ??  approximately 97
C-H  ??  H-C
1  ??  one and one-half
0.3  ??  0.3 repeating
345  ??  34₅
0.6 repeating  ??  0.6
20  ??  twenty-first  ::  Which was the first?
3  ??  three point five  ::  Where is the point of the five?
30  ??  thirty-second  ::  In which second?
210  ==  zweihundertzehn
88  ==  quatre-vingt-huit
21  ==  ventuno
11  ??  once
"""

ORDINALS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth",
)  # fmt: skip
_PARTS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
_PARTS |= {word: n for n, word in enumerate(ORDINALS[2:], start=3)}
_PARTS |= {f"{word}s": n for n, word in enumerate(ORDINALS[2:], start=3)}
_SCALES = {
    "hundred": 10**2, "thousand": 10**3, "k": 10**3, "million": 10**6, "mn": 10**6, "billion": 10**9, "bn": 10**9,
    "trillion": 10**12,
}  # fmt: skip
_DIGITS = r"(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:[ '’]\d{3})+|\d+)(?:\.\d*)?|\.\d+"
_NUMBER = re.compile(
    rf"""
    (?P<sign>[-+]?) \s* (?P<currency>[$€£¥₹]?) \s* (?P<digits>{_DIGITS})     # -$1,234.50
    (?:\s* (?:[x*]\s*10\s*(?:\^|\*\*)\s*\(?|[eE]) (?P<exponent>[-+]?\d{{1,3}}) \)? )?             # 6.02 x 10^23
    (?:\s*/\s*(?P<over>\d+) | \s+(?P<top>\d+)/(?P<bottom>\d+))?                                   # 3/4, 3 1/2
    (?P<rest>.*)
    """,
    re.DOTALL | re.VERBOSE,
)
_SCALE = re.compile(
    r"""
    [\s-]*                                               # "1.2 million", "86k"
    (hundred|thousand|million|billion|trillion|k\b|mn\b|bn\b)(.*)
    """,
    re.DOTALL | re.VERBOSE,
)
# Languages of number words, the question's most likely one first.
_LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl")
# Number words of another language that mean something else in English: Spanish "once" is 11.
_ENGLISH = (
    "o", "once", "elf", "cent", "mil", "dos", "quart", "second", "null", "sept", "sei", "otto",
)  # fmt: skip
# What "a" or "an" before it counts: "a hundred", "a third".
_UNCOUNTED = _SCALES.keys() | _PARTS.keys()
_MAX_WORDS = 12


@dataclass(frozen=True, slots=True)
class Number:
    """A number that begins a text.

    Attributes:
        value: Its exact value as written.
        decimals: Digits after the point; None of a fraction, a power or words, which are exact.
        rest: What follows it, with its currency sign before it as "$ ".
    """

    value: Fraction
    decimals: int | None
    rest: str


def read_number(text: str) -> Number | None:
    """The number that a plain text begins with; None when it begins with none."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return _in_words(text)
    number = _in_digits(match)
    return number and _scaled(number, match["currency"])


def _scaled(number: Number, currency: str) -> Number:
    """The number times what follows it, as in "1.2 million"."""
    value, decimals, rest = number.value, number.decimals, number.rest
    if scale := _SCALE.fullmatch(rest):
        name, rest = scale.groups()
        value *= _SCALES[name]
        decimals = None
    return Number(value, decimals, f"{currency} {rest}")


def _in_digits(match: re.Match[str]) -> Number | None:
    """What stands before a scale and a unit."""
    digits = re.sub(r"[,\s'’]", "", match["digits"])
    value = Fraction(digits.rstrip(".") or "0")
    decimals: int | None = len(digits.partition(".")[2])
    rest = match["rest"]
    if rest[:1].isdigit():  # a superscript 2 is a digit, and a letter to a pattern
        return None
    exponent, top, bottom, over = match.group("exponent", "top", "bottom", "over")
    if exponent:
        value *= Fraction(10) ** int(exponent)
        decimals = None
    if top and int(bottom):
        value += Fraction(int(top), int(bottom))
        decimals = None
    if over:
        if not int(over):
            return None
        value /= int(over)
        decimals = None
    if match["sign"] == "-":
        value = -value
    return Number(value, decimals, rest)


def _in_words(text: str) -> Number | None:
    """A number in words, "eighty-eight", "two thirds" or "achtundachtzig", with what follows it."""
    words = text.casefold().replace("-", " ").rstrip(".").split(maxsplit=_MAX_WORDS)
    if not words or not words[0][0].isalpha():
        return None
    if words[0] in ("a", "an") and not _UNCOUNTED.isdisjoint(words[1:2]):
        words[0] = "one"
    for language in _LANGUAGES:
        if language != "en" and words[0] in _ENGLISH:
            return None
        if _whole_number(words[0], language) is not None:
            return _in_language(words, language)
    return None


def _in_language(words: list[str], language: str) -> Number | None:
    n, value = _longest(words, language)
    rest = " ".join(words[n:])
    if language == "en" and n < len(words) and words[n] in _PARTS:
        part = Fraction(value, _PARTS[words[n]])
        return Number(part, None, " ".join(words[n + 1 :]))
    if language != "en" and rest:
        return None  # a name: Otto Hahn is not eight of anything
    if alpha2digit(rest, language, threshold=0) != rest or rest.startswith("and "):
        return None  # "twenty first", "three point five" and "one and one-half" are other numbers
    return Number(Fraction(value), None, rest)


def _longest(words: list[str], language: str) -> tuple[int, int]:
    """How many of the first words are one number, and which."""
    n_words, number = 0, 0
    for n in range(1, len(words) + 1):
        value = _whole_number(" ".join(words[:n]), language)
        if value is not None:
            n_words, number = n, value
        elif n - n_words > 1:  # "one hundred and" is no number, "one hundred and five" is
            break
    return n_words, number


def _whole_number(text: str, language: str) -> int | None:
    if language == "en":
        if text == "o":
            return None
        lead, _, last = text.rpartition(" ")
        if last == "trillion":
            count = _whole_number(lead or "one", language)
            return None if count is None else count * _SCALES[last]
    try:
        return int(text2num(text, language))
    except ValueError:
        return None
