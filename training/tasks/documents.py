"""What `!function documents.X` finds here: task_yamls/documents.py, which a file of this folder cannot name itself."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_spec = spec_from_file_location(
    "bertjudge_documents", Path(__file__).parents[2] / "task_yamls" / "documents.py"
)
assert _spec is not None
assert _spec.loader is not None
_documents = module_from_spec(_spec)
_spec.loader.exec_module(_documents)
__getattr__ = _documents.__getattr__
