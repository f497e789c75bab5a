"""Stage: plain questions with one short answer each, as a triplet source, with same-kind wrong answers.

    python -m training.facts --output FACTS_DIR

Writes `facts.jsonl.gz`, and `neighbours.json` in the form of training.neighbours: for each question the answers to the
other questions of its kind. France and the United Kingdom are left out: tests/test_embedded.py asks about them.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from training import stage
from training.data.rows import write_rows

FACTS: dict[str, dict[str, str]] = {
    "What is the capital of {}?": {
        "Peru": "Lima", "Chile": "Santiago", "Italy": "Rome", "Spain": "Madrid", "Germany": "Berlin",
        "Austria": "Vienna",
        "Poland": "Warsaw", "Portugal": "Lisbon", "Greece": "Athens", "Norway": "Oslo", "Sweden": "Stockholm",
        "Finland": "Helsinki", "Denmark": "Copenhagen", "Ireland": "Dublin", "Hungary": "Budapest", "Egypt": "Cairo",
        "Kenya": "Nairobi", "Japan": "Tokyo", "China": "Beijing", "South Korea": "Seoul", "Thailand": "Bangkok",
        "Vietnam": "Hanoi", "Canada": "Ottawa", "Cuba": "Havana", "Argentina": "Buenos Aires", "Russia": "Moscow",
        "Belgium": "Brussels", "Romania": "Bucharest", "Bulgaria": "Sofia", "Morocco": "Rabat", "Australia": "Canberra",
    },
    "Which continent is {} in?": {
        "Peru": "South America", "Kenya": "Africa", "Japan": "Asia", "Italy": "Europe", "Canada": "North America",
        "Egypt": "Africa", "Chile": "South America", "Norway": "Europe", "Vietnam": "Asia", "Mexico": "North America",
    },
    "What is the chemical symbol of {}?": {
        "gold": "Au", "silver": "Ag", "iron": "Fe", "sodium": "Na", "potassium": "K", "lead": "Pb", "tin": "Sn",
        "copper": "Cu", "helium": "He", "carbon": "C", "oxygen": "O", "nitrogen": "N", "tungsten": "W", "mercury": "Hg",
    },
    "Who wrote {}?": {
        "Hamlet": "William Shakespeare", "War and Peace": "Leo Tolstoy", "Don Quixote": "Miguel de Cervantes",
        "Pride and Prejudice": "Jane Austen", "Moby-Dick": "Herman Melville", "The Odyssey": "Homer",
        "Crime and Punishment": "Fyodor Dostoevsky", "Great Expectations": "Charles Dickens", "Faust": "Goethe",
        "The Divine Comedy": "Dante Alighieri", "Frankenstein": "Mary Shelley", "Dracula": "Bram Stoker",
    },
    "Who painted {}?": {
        "the Mona Lisa": "Leonardo da Vinci", "Guernica": "Pablo Picasso", "The Starry Night": "Vincent van Gogh",
        "The Scream": "Edvard Munch", "The Night Watch": "Rembrandt", "The Birth of Venus": "Sandro Botticelli",
        "Las Meninas": "Diego Velazquez", "The Kiss": "Gustav Klimt", "The Persistence of Memory": "Salvador Dali",
    },
    "What is the currency of {}?": {
        "Japan": "yen", "India": "rupee", "Mexico": "peso", "Russia": "ruble", "Switzerland": "franc",
        "Poland": "zloty",
        "China": "yuan", "Turkey": "lira", "Israel": "shekel", "Thailand": "baht", "Sweden": "krona", "Brazil": "real",
    },
    "Which planet is {}?": {
        "closest to the Sun": "Mercury", "known as the Red Planet": "Mars",
        "the largest in the solar system": "Jupiter",
        "the third from the Sun": "Earth", "known for its large rings": "Saturn",
        "the farthest from the Sun": "Neptune",
    },
    "What colour is {}?": {
        "a ripe banana": "yellow", "fresh grass": "green", "snow": "white", "coal": "black", "a ruby": "red",
        "the clear sky": "blue", "a ripe orange": "orange", "an aubergine": "purple", "chocolate": "brown",
    },
    "What language is mainly spoken in {}?": {
        "Brazil": "Portuguese", "Mexico": "Spanish", "Austria": "German", "Egypt": "Arabic", "Iran": "Persian",
        "Japan": "Japanese", "Italy": "Italian", "Greece": "Greek", "Poland": "Polish", "Russia": "Russian",
    },
    "In which month is {}?": {
        "Christmas": "December", "Halloween": "October", "Valentine's Day": "February", "New Year's Day": "January",
        "Labour Day in Europe": "May", "the June solstice": "June", "the autumn equinox in the north": "September",
    },
    "Which animal {}?": {
        "is the tallest": "giraffe", "is the fastest on land": "cheetah", "is the largest on Earth": "blue whale",
        "produces honey": "bee", "barks": "dog", "has a trunk": "elephant", "is called the king of beasts": "lion",
    },
    "How many {}?": {
        "days are in a week": "7", "months are in a year": "12", "sides does a hexagon have": "6",
        "legs does a spider have": "8",
        "minutes are in an hour": "60", "cents are in a dollar": "100", "players are in a football team": "11",
    },
}  # fmt: skip


@stage.command
def main(argv: list[str] | None) -> None:
    parser = stage.parser(__doc__)
    parser.add_argument("--output", type=Path, required=True, help="folder to write into")
    parser.add_argument(
        "--copies", type=int, default=70, help="rows per fact; each becomes another made answer"
    )
    args = parser.parse_args(argv)
    args.output.mkdir(parents=True, exist_ok=True)
    near = {
        q.format(x): [b for b in facts.values() if b != a]
        for q, facts in FACTS.items()
        for x, a in facts.items()
    }
    (args.output / "neighbours.json").write_text(json.dumps(near), encoding="utf-8")
    rows = (
        {"id": f"facts/{question.format(about)}/{copy}", "source": "facts", "category": "open_qa",
         "question": question.format(about), "references": [answer], "candidate": answer, "label": 1,
         "generator": "made", "label_source": "made", "licence": "Apache-2.0"}
        for question, facts in FACTS.items()
        for (about, answer), copy in itertools.product(facts.items(), range(args.copies))
    )  # fmt: skip
    write_rows(args.output / "facts.jsonl.gz", rows)
    print(f"{len(near)} facts -> {args.output}")


if __name__ == "__main__":
    main()
