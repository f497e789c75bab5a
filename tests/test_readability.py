"""What a reader can expect of every module: light lines, short functions, plain expressions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]
MODULES = sorted(
    path for root in ("lm_eval_bertjudge", "training") for path in (REPO / root).rglob("*.py")
)
# Training has still to come down to 9.
MAX_NODES_PER_LINE = {"lm_eval_bertjudge": 9.0, "training": 9.5}
MAX_FUNCTION_LINES = 40
MAX_MODULE_LINES = 300
MAX_COMPLEXITY = 10
MAX_PLAIN_REGEX = 60
MAX_DOUBLE_COMPREHENSION = 80
DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def name_of(path: Path) -> str:
    return str(path.relative_to(REPO))


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def docstring_lines(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, DEFINITIONS) and ast.get_docstring(node, clean=False) is not None:
            text = node.body[0]
            yield from range(text.lineno, (text.end_lineno or text.lineno) + 1)


def n_code_lines(path: Path) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    prose = set(docstring_lines(tree_of(path)))
    return sum(
        bool(line.strip()) and not line.lstrip().startswith("#")
        for number, line in enumerate(lines, start=1)
        if number not in prose
    )


@pytest.mark.parametrize("root", MAX_NODES_PER_LINE)
def test_a_line_of_code_is_light(root: str) -> None:
    modules = [path for path in MODULES if name_of(path).startswith(root)]
    n_nodes = sum(sum(1 for _ in ast.walk(tree_of(path))) for path in modules)
    assert n_nodes / sum(map(n_code_lines, modules)) <= MAX_NODES_PER_LINE[root]


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_functions_are_short(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_MODULE_LINES
    for node in ast.walk(tree_of(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            n_lines = (node.end_lineno or node.lineno) - node.lineno + 1
            prose = ast.get_docstring(node, clean=False)
            n_lines -= len(prose.splitlines()) if prose else 0
            assert n_lines <= MAX_FUNCTION_LINES, f"{name_of(path)}:{node.lineno} {node.name}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_conditional_expression_stands_in_another(path: Path) -> None:
    for outer in ast.walk(tree_of(path)):
        if isinstance(outer, ast.IfExp):
            inner = [node for node in ast.walk(outer) if isinstance(node, ast.IfExp)]
            assert len(inner) == 1, f"{name_of(path)}:{outer.lineno}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_comprehension_with_two_loops_is_small(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, COMPREHENSIONS) and len(node.generators) > 1:
            text = " ".join((ast.get_source_segment(source, node) or "").split())
            assert len(text) <= MAX_DOUBLE_COMPREHENSION, f"{name_of(path)}:{node.lineno}"


def is_compile(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_long_regex_is_verbose(path: Path) -> None:
    for node in filter(is_compile, ast.walk(tree_of(path))):
        assert isinstance(node, ast.Call)
        texts = [part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)]
        length = sum(len(text) for text in texts if isinstance(text, str))
        flags = " ".join(map(ast.unparse, node.args[1:]))
        is_verbose = "VERBOSE" in flags or "re.X" in flags
        assert length <= MAX_PLAIN_REGEX or is_verbose, f"{name_of(path)}:{node.lineno}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_only_tables_are_laid_out_by_hand(path: Path) -> None:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if "fmt: skip" in line:
            is_table = line.lstrip()[:1] in "}])"
            assert is_table, f"{name_of(path)}:{number}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_function_has_few_branches(path: Path) -> None:
    radon = pytest.importorskip("radon.complexity", reason="needs the extra `dev`")
    for block in radon.cc_visit(path.read_text(encoding="utf-8")):
        if block.letter == "C":  # a class: its methods are looked at one by one
            continue
        assert block.complexity <= MAX_COMPLEXITY, f"{name_of(path)}:{block.lineno} {block.name}"
