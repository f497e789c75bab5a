"""Errors that a user can act on. The CLI prints them without a traceback and exits with status 2."""


class BertJudgeError(Exception):
    """Base of every error this package raises on purpose: what was expected, what came, what to type next."""


class InputError(BertJudgeError):
    """A document, an input file or an option is not what was expected.

    Attributes:
        option: The name of the option that is to be mended, where it is one: the CLI adds how its flag is written.
    """

    def __init__(self, *args: object, option: str = "") -> None:
        super().__init__(*args)
        self.option = option


class CheckpointError(BertJudgeError):
    """A judge folder is missing, incomplete, or of another encoding version."""


class ReferenceTooLongError(BertJudgeError):
    """A reference takes more than half of the judge's input; cutting it would judge against something else."""


class ServerError(BertJudgeError):
    """An LLM server cannot be reached, refuses the key or the model, or answers nothing any more."""


class UnjudgedError(BertJudgeError):
    """More answers than allowed were left without a verdict."""


class OutOfMemoryError(BertJudgeError):
    """The GPU has no room for a batch, nor for half of it."""


class EngineError(BertJudgeError):
    """Ray cannot be started or reached, has no room for a worker, or loses its workers again and again."""


class MissingExtraError(BertJudgeError):
    """A package that an extra brings is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(package, extra)  # as they came: it has to survive pickling

    def __str__(self) -> str:
        package, extra = self.args
        return f"this needs the package {package!r}: pip install 'lm-eval-bertjudge[{extra}]'"
