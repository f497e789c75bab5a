"""Amounts as tables and their readers write them: "$2,968 thousand", "(1.9) million", "25.7%"."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace

_AMOUNT = re.compile(
    r"(?P<currency>US\$|[$€£])?\s*(?P<minus>[-\u2212(]?)\s*(?P<inner>[$€£])?(?P<digits>\d[\d,]*(?:\.\d+)?)\)?"
    r"\s*(?P<scale>thousand|million|billion|percent|%)?"
)


@dataclass(frozen=True, slots=True)
class Amount:
    """A number with the currency and the scale it is written with; each may be empty."""

    value: float
    decimals: int
    scale: str
    currency: str


def read(text: str) -> Amount | None:
    """The amount that a text is; None for anything else."""
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return None
    digits = found["digits"].replace(",", "")
    value = -float(digits) if found["minus"] else float(digits)
    scale = "percent" if found["scale"] == "%" else found["scale"] or ""
    return Amount(
        value, len(digits.partition(".")[2]), scale, found["currency"] or found["inner"] or ""
    )


def forms(amount: Amount) -> list[str]:
    """Ways to write it: commas, currency, scale there or left to the table, a minus or brackets, rounded by a digit."""
    texts = []
    for decimals in {amount.decimals, max(amount.decimals - 1, 1 if amount.decimals > 1 else 0)}:
        plain = f"{abs(amount.value):.{decimals}f}"
        if abs(float(plain) - abs(amount.value)) <= 0.006 * abs(amount.value):
            texts += [plain, f"{abs(amount.value):,.{decimals}f}"]
    if amount.scale == "percent":
        return [
            f"{'-' * (amount.value < 0)}{text}{end}"
            for text in texts
            for end in ("%", "%", " percent", "", " %")
        ]
    signed = [
        s.format(text)
        for text in texts
        for s in (("-{}", "({})", "\u2212{}") if amount.value < 0 else ("{}",))
    ]
    money = [
        f"-${text}" if amount.value < 0 else f"{amount.currency or '$'}{text}" for text in texts
    ]
    scale = f" {amount.scale}" if amount.scale else ""
    return [f"{text}{end}" for text in signed + money for end in (scale, scale, "")]


def misses(amount: Amount, rng: random.Random) -> list[str]:
    """Ways to write another amount, at least 2% away, or the same number at another scale."""
    value = amount.value
    while abs(value - amount.value) <= 0.02 * abs(amount.value) or not value:
        factor = rng.choice((10, 0.1, 2, 0.5, rng.uniform(0.6, 1.5), rng.uniform(0.9, 1.1)))
        value = round(amount.value * factor + rng.choice((0, 0, 0, 1, 3)), amount.decimals)
    texts = forms(replace(amount, value=value))
    if amount.scale in ("thousand", "million"):
        texts.append(
            f"{amount.value:,.{amount.decimals}f} {'million' if amount.scale == 'thousand' else 'thousand'}"
        )
    return texts
