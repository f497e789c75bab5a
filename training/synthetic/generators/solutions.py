"""Intervals and sets of solutions: the same set in other words, and other ends, brackets and members."""

from __future__ import annotations

import random

from training.synthetic.generators.case import Case, ways


def interval(rng: random.Random) -> Case:
    """An interval or two inequalities; wrong are other ends and brackets."""
    a, b = sorted(rng.sample(range(-9, 10), 2))
    left = rng.choice("([")
    right = rng.choice(")]")
    less = {"(": "<", "[": "\\le"}[left]
    more = {")": "<", "]": "\\le"}[right]
    same = ways(
        "{left}{a}, {b}{right}",
        "{left}{a},{b}{right}",
        "x \\in {left}{a}, {b}{right}",
        "{a} {less} x {more} {b}",
        left=left,
        a=a,
        b=b,
        right=right,
        less=less,
        more=more,
    )
    plain = {"<": "<", "\\le": "<="}
    same += [
        f"{a} {plain[less]} x {plain[more]} {b}",
        f"\\left{left}{a}, {b}\\right{right}",
    ]
    turn = {"(": "[", "[": "(", ")": "]", "]": ")"}
    wrong = [
        f"{turn[left]}{a}, {b}{right}",
        f"{left}{a}, {b}{turn[right]}",
        f"x {plain[more]} {b}",
        f"x > {a}",
        f"{left}{a}, {b + 1}{right}",
    ]
    wrong += [
        f"{left}{-b}, {a}{right}",
        f"{turn[left]}{a}, {b}{turn[right]}",
        f"(-\\infty, {b}{right}",
        f"{left}{a}, \\infty)",
    ]
    return Case("For which x does the inequality hold?", same[0], same, wrong)


def half_line(rng: random.Random) -> Case:
    """An interval without end; wrong is the other bracket or direction."""
    a = rng.randint(-9, 9)
    closed = rng.random() < 0.5
    mark, other = ("[", "(") if closed else ("(", "[")
    sign, miss = (">=", ">") if closed else (">", ">=")
    same = [
        f"{mark}{a}, \\infty)",
        f"{mark}{a}, ∞)",
        f"x {sign} {a}",
        f"x \\geq {a}" if closed else f"x > {a}",
    ]
    same += [f"x ≥ {a}"] if closed else []
    wrong = [
        f"{other}{a}, \\infty)",
        f"x {miss} {a}",
        f"x {sign.replace('>', '<')} {a}",
        f"{mark}{a + 1}, \\infty)",
        f"(-\\infty, {a})",
        f"x {sign} {-a or 1}",
    ]
    return Case("State the solution set.", same[0], same, wrong)


def several(rng: random.Random) -> Case:
    """A set of solutions in any order; wrong is one less, more or other."""
    values = rng.sample(range(-12, 30), rng.choice((2, 2, 3)))
    if rng.random() < 0.3:
        values = [values[0] or 5, -(values[0] or 5)]
    mixed = rng.sample(values, len(values))

    def forms(v: list[int]) -> list[str]:
        text = [str(n) for n in v]
        joined = ", ".join(text)
        return [
            joined,
            " and ".join(text),
            f"\\{{{joined}\\}}",
            f"{{{joined}}}",
            f"x = {' or x = '.join(text)}",
            f"{', '.join(text[:-1])} and {text[-1]}",
        ]

    right = forms(values) + forms(mixed)
    if values[0] == -values[1]:
        size = abs(values[0])
        right += [f"±{size}", f"\\pm {size}"] * 2
    wrong = [
        str(values[0]),
        str(values[-1]),
        f"x = {values[0]}",
        *forms([*values[:-1], values[-1] + 1]),
        *forms([*values, values[0] + 31]),
    ]
    wrong += forms(values[:-1]) if len(values) > 2 else []
    return Case("Find all solutions.", forms(values)[rng.choice((0, 1, 2, 3))], right, wrong)
