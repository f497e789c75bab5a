"""The judge's input: `<|question|>{q}<|candidate|>{c}<|reference|>{r}`, in format v1, v2 or v3.

v1 is the format of the published `artefactory/BERTJudge*` checkpoints (arXiv 2604.09497, section 2.3), so
those load and score the same. v2 writes numbers without thousands separators: the word pieces of "8,995"
and "8995" have nothing in common, and an encoder would have to learn number by number that they are one.
v3 also marks raised and lowered digits (10⁶ as 10^6, which some tokenizers read as 106) and ends of lines,
and of a long candidate it keeps head and tail: chat models answer first, reasoning models last. Fields are
tokenised one by one and joined as ids: a field can never produce a marker or any other special token, and
truncation is decided per field, never on the joined string.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from tokenizers import Tokenizer

from lm_eval_bertjudge.errors import CheckpointError, ReferenceTooLongError
from lm_eval_bertjudge.text.markup import ascii_digits, ascii_width, mark_scripts, strip_invisible

S = TypeVar("S", str, list[int])

ENCODING_VERSIONS = ("v1", "v2", "v3")
QUESTION, CANDIDATE, REFERENCE = MARKERS = ("<|question|>", "<|candidate|>", "<|reference|>")

_MARKER_TEXT = re.compile(r"<\|\s*(?:question|candidate|reference)\s*\|>", re.IGNORECASE)
# Also (1,234), which is minus 1,234 in accounts; not [1,234], perhaps an interval.
_THOUSANDS = re.compile(
    r"""
    (?<![\d.,\[])\d{1,3}
    (?:(?:,(?:\\!\ ?)?|\{,\})\d{3})+                # 1,234 and LaTeX's 1{,}234 or 1,\!234
    (?!\d|,\d)
    """,
    re.VERBOSE,
)
_LINE_END = re.compile(r"\s*\n\s*")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# Text beyond this many characters per token of input cannot reach the model, so it is not worth tokenising.
_CHARS_PER_TOKEN = 24


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of one (question, candidate, reference), and whether a field was shortened to fit."""

    ids: list[int]
    truncated: bool


class Encoder:
    """Turns (question, candidate, reference) texts into token ids of at most `max_length`."""

    def __init__(self, tokenizer_json: str, *, max_length: int, version: str = "v1") -> None:
        """Reads a fast tokenizer.

        Args:
            tokenizer_json: The content of a `tokenizer.json` that has the three markers as added tokens.
            max_length: Longest input in tokens, special tokens and markers included.
            version: Of the input format, one of ENCODING_VERSIONS.

        Raises:
            CheckpointError: A marker is not in the tokenizer, so this is not a judge's tokenizer.
        """
        whole = Tokenizer.from_str(tokenizer_json)
        whole.no_truncation()
        whole.no_padding()
        marker_ids = {marker: whole.token_to_id(marker) for marker in MARKERS}
        if missing := [marker for marker, token in marker_ids.items() if token is None]:
            raise CheckpointError(
                f"the tokenizer lacks the marker tokens {', '.join(missing)}: this is not a judge checkpoint. "
                "Fine-tune the encoder first: python -m training.train --help"
            )
        self.max_length = max_length
        self._read = _READERS[version]
        self._keeps_head = version == "v3"
        markers = [[token or 0] for token in marker_ids.values()]
        self._question, self._candidate, self._reference = markers
        wrapped = whole.encode(CANDIDATE).ids
        at = wrapped.index(self._candidate[0])
        self._prefix, self._suffix = wrapped[:at], wrapped[at + 1 :]
        self._fields = _plain_text_tokenizer(tokenizer_json)

    def encode(self, triplets: Sequence[tuple[str, str, str]]) -> list[Encoded]:
        """Encodes (question, candidate, reference) triplets, in order; an empty question is left out (CR mode).

        Raises:
            ReferenceTooLongError: A reference takes more than half of the input.
        """
        limit = self.max_length * _CHARS_PER_TOKEN
        cut_candidate = _ends if self._keeps_head else _tail
        texts: list[str] = []
        was_cut: list[bool] = []
        for triplet in triplets:
            question, candidate, reference = map(self._read, triplet)
            texts += [_ends(question, limit), cut_candidate(candidate, limit)]
            texts.append(reference[: 2 * limit])
            was_cut.append(max(len(question), len(candidate)) > limit)
        encodings = self._fields.encode_batch_fast(texts, add_special_tokens=False)
        ids = [encoding.ids for encoding in encodings]
        fields = zip(ids[0::3], ids[1::3], ids[2::3], was_cut, strict=True)
        return [self._fit(*each) for each in fields]

    def _fit(
        self, question: list[int], candidate: list[int], reference: list[int], was_cut: bool
    ) -> Encoded:
        """Joins the fields: the reference whole, the question's ends, the candidate's end (v3: ends)."""
        n_markers = 3 if question else 2
        budget = self.max_length - len(self._prefix) - len(self._suffix) - n_markers
        if len(reference) > budget // 2:
            raise ReferenceTooLongError(
                f"a reference has {len(reference)} tokens, more than half of the judge's {self.max_length}-token "
                "input. Use a shorter reference (the final answer only) or a judge with a longer input."
            )
        left = budget - len(reference)
        n_question = min(len(question), max(left - len(candidate), left // 3))
        n_candidate = min(len(candidate), left - n_question)
        truncated = was_cut or n_question < len(question) or n_candidate < len(candidate)
        ids = [*self._prefix]
        if question:
            ids += self._question + _ends_of(question, n_question)
        keep = _ends_of if self._keeps_head else _tail
        ids += self._candidate + keep(candidate, n_candidate)
        ids += self._reference + reference + self._suffix
        return Encoded(ids, truncated)


def clean(text: str) -> str:
    """The text as a judge may see it: no markers, no invisible characters, no outer space.

    Full-width forms of ASCII and digits of other scripts become ASCII: they are the same to a reader, and
    unknown to most vocabularies.
    """
    text = strip_invisible(text)
    if not text.isascii():
        text = _LONE_SURROGATE.sub("\ufffd", text)
        text = ascii_digits(ascii_width(text))
    return _MARKER_TEXT.sub(" ", text).strip()


def without_separators(text: str) -> str:
    """The clean text with its numbers written without thousands separators."""
    return _THOUSANDS.sub(lambda number: re.sub(r"\D", "", number[0]), clean(text))


def marked(text: str) -> str:
    """The text without separators, with raised and lowered digits and the ends of its lines marked."""
    return _LINE_END.sub(" \n ", mark_scripts(without_separators(text)))


# How each version of the format reads a field.
_READERS = {"v1": clean, "v2": without_separators, "v3": marked}


def _tail(sequence: S, limit: int) -> S:
    """The last `limit` characters or ids."""
    return sequence[max(0, len(sequence) - limit) :]


def _ends(text: str, limit: int) -> str:
    """The first and last `limit` characters of a text that is longer than both together."""
    if len(text) <= 2 * limit:
        return text
    return f"{text[:limit]} {text[-limit:]}"


def _ends_of(ids: list[int], n: int) -> list[int]:
    """`n` of the ids: the first third and the last two thirds.

    There a prompt names the task and asks.
    """
    if n >= len(ids):
        return ids
    head = n // 3
    return ids[:head] + _tail(ids, n - head)


def _plain_text_tokenizer(tokenizer_json: str) -> Tokenizer:
    """The tokenizer without its special tokens and markers, so that `[SEP]` in a candidate is mere text."""
    spec = json.loads(tokenizer_json)
    added = [token for token in spec["added_tokens"] if not token["special"]]
    spec["added_tokens"] = [token for token in added if token["content"] not in MARKERS]
    spec |= {"post_processor": None, "truncation": None, "padding": None}
    return Tokenizer.from_str(json.dumps(spec))
