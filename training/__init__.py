"""How a judge is made: answers, labels, mixtures, training, export, evaluation.

`python -m training.STAGE` finds a stage in whichever folder it lies.
"""

from pathlib import Path

__path__ += [
    str(Path(__file__).parent / name) for name in ("data", "synthetic", "model", "evaluation")
]
