"""Passages with a table of amounts, long as financial reports are, asked for one of them or a change between two."""

from __future__ import annotations

import random

from training.synthetic import amounts, phrasing
from training.synthetic.made.case import Case

ITEMS = (
    "Revenue", "Cost of sales", "Gross profit", "Operating expenses", "Depreciation", "Interest income", "Income tax",
    "Net income", "Trade receivables", "Inventories", "Cash at bank", "Total assets", "Deferred tax", "Bank loans",
    "Lease payments", "Research and development", "Marketing", "Wages and salaries", "Pension costs", "Dividends paid",
    "Capital expenditure", "Goodwill", "Provisions", "Accrued liabilities", "Other income", "Share-based compensation",
)  # fmt: skip
NOTES = (
    "The following table sets out the figures for the year ended 31 December.", "All figures are audited.",
    "Amounts may not add up because of rounding.", "See the notes for how these items are measured.",
    "The increase was mainly due to higher volumes.", "Certain prior amounts have been restated.",
    "Management reviews these figures every quarter.", "The Group has adopted the new standard for leases.",
)  # fmt: skip


def cell(rng: random.Random) -> Case:
    """An amount of a table, or the change, average or percentage change between two years."""
    scale, currency = (
        rng.choice(("thousand", "thousand", "million", "")),
        rng.choice(("$", "$", "€", "£", "")),
    )
    decimals, year = rng.choice((0, 0, 0, 1)), rng.randint(2008, 2023)
    rows = {
        item: [round(rng.uniform(1, 9) * 10 ** rng.randint(1, 4), decimals) for _ in range(2)]
        for item in rng.sample(ITEMS, rng.randint(3, 14))
    }
    item = rng.choice(list(rows))
    now, before = rows[item]
    asked, value, places, of = rng.choice(
        (
            (f"What was the {item} in {year}?", now, decimals, scale),
            (f"What was the {item} in {year - 1}?", before, decimals, scale),
            (
                f"What is the change in {item} from {year - 1} to {year}?",
                now - before,
                decimals,
                scale,
            ),
            (
                f"What was the average {item} for {year - 1} and {year}?",
                (now + before) / 2,
                max(decimals, 1),
                scale,
            ),
            (
                f"What is the percentage change in {item} from {year - 1} to {year}?",
                100 * (now - before) / before,
                2,
                "percent",
            ),
        )
    )
    exact = amounts.Amount(round(value, places) or 1.0, places, of, currency)
    misses = [text for _ in range(3) for text in amounts.misses(exact, rng)]
    plain = f"{exact.value:.{places}f}"
    reference = rng.choice(
        (plain, f"{plain} {of}".strip(), f"{plain} {of}".strip(), f"{exact.value:,.{places}f}")
    )
    table = "\n".join(
        f"{name} | {a:,.{decimals}f} | {b:,.{decimals}f}" for name, (a, b) in rows.items()
    )
    head = f" | {year} | {year - 1}\n | {currency}{scale} | {currency}{scale}"
    context = " ".join(rng.sample(NOTES, rng.randint(0, 4))) + f"\n{head}\n{table}"
    question = phrasing.PASSAGE.format(c=context, q=asked)
    right = amounts.forms(exact)
    return Case(question, reference, [*right, *(f"The answer is {text}" for text in right)], misses)
