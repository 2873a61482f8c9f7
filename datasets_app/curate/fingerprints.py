"""Fingerprints: two programs that differ in layout, comments and docstrings alone have the same.

They are made where bodies may be read (a background job, a freeze) and stored, so that rules read scalars.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any

from django.db.models import Model, QuerySet

from datasets_app.identity import normalise
from datasets_app.models import KernelFingerprint, ProgramFingerprint, Sample, SampleBody, Task, TaskBody

TASK = "datasets_app.fill_fingerprints"
BATCH = 200
OnBatch = Callable[[], None]
C_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
SPACES = re.compile(r"\s+")
AROUND_SIGNS = re.compile(r" ?([(){}\[\];,]) ?")


def no_word() -> None:
    """Nobody waits for word of a batch."""


class Canonical(ast.NodeTransformer):
    """Drops docstrings, and comments and layout in long strings, where CUDA and C++ sources stand."""

    def visit_body(self, node: Any) -> Any:
        first = node.body[0] if node.body else None
        if (
            isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
        ):
            node.body = node.body[1:]
        return self.generic_visit(node)

    visit_Module = visit_ClassDef = visit_body  # noqa: N815 (NodeTransformer's names)
    visit_FunctionDef = visit_AsyncFunctionDef = visit_body  # noqa: N815

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str) and "\n" in node.value:
            return ast.Constant(bare_c(node.value))
        return node


def bare_c(text: str) -> str:
    """C-like text without comments and layout. Preprocessor lines keep their ends, which mean something there."""
    text = C_COMMENT.sub(lambda found: found.group(1) or " ", text)
    lines = [f"\n{line.strip()}\n" if line.lstrip().startswith("#") else line for line in text.split("\n")]
    words = [AROUND_SIGNS.sub(r"\1", SPACES.sub(" ", part)).strip() for part in " ".join(lines).split("\n")]
    return "\n".join(word for word in words if word)


def spelt(node: Any) -> str:
    """A syntax tree as text, the same on every version of Python: empty fields, which differ, are left out."""
    if isinstance(node, ast.AST):
        fields = [
            f"{name}={spelt(value)}" for name, value in ast.iter_fields(node) if value not in (None, [])
        ]
        return f"{type(node).__name__}({','.join(fields)})"
    if isinstance(node, list):
        return f"[{','.join(map(spelt, node))}]"
    return repr(node)


def fingerprint(program: str) -> str:
    """SHA-256 of the program's syntax tree as described above; of its normalised text where it is not Python."""
    try:
        canonical = spelt(Canonical().visit(ast.parse(program)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        canonical = normalise(program)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def fill_kernels(limit: int | None = None, on_batch: OnBatch = no_word) -> int:
    """Store the fingerprints that samples lack. Returns how many it made."""
    bodies = SampleBody.objects.filter(sample__fingerprint=None).values_list("sample_id", "kernel_code")
    return fill(bodies, KernelFingerprint, "sample_id", limit, on_batch)


def fill_programs(limit: int | None = None, on_batch: OnBatch = no_word) -> int:
    """Store the fingerprints that tasks lack. Returns how many it made."""
    bodies = TaskBody.objects.filter(task__fingerprint=None).values_list("task_id", "pytorch_code")
    return fill(bodies, ProgramFingerprint, "task_id", limit, on_batch)


def fill(bodies: QuerySet[Any], model: type[Model], key: str, limit: int | None, on_batch: OnBatch) -> int:
    made = 0
    for batch in batches(bodies, key, limit):
        rows = [model(**{key: ident, "sha256": fingerprint(text)}) for ident, text in batch]
        model._default_manager.bulk_create(rows, ignore_conflicts=True)
        made += len(rows)
        on_batch()
    return made


def batches(bodies: QuerySet[Any], key: str, limit: int | None) -> Iterator[list[tuple[Any, str]]]:
    """By keyset, so that memory holds one batch and a stored batch is never read again."""
    last, left = None, limit
    while left is None or left > 0:
        size = BATCH if left is None else min(BATCH, left)
        after = bodies.order_by(key) if last is None else bodies.order_by(key).filter(**{f"{key}__gt": last})
        batch = list(after[:size])
        if not batch:
            return
        yield batch
        last = batch[-1][0]
        left = None if left is None else left - len(batch)


def missing(needs: frozenset[str]) -> int:
    """How many fingerprints that a recipe's rules need have yet to be made."""
    kernels = Sample.objects.filter(fingerprint=None).count() if "kernel" in needs else 0
    programs = Task.objects.filter(fingerprint=None).count() if "program" in needs else 0
    return kernels + programs


def fill_needed(needs: frozenset[str], limit: int | None = None, on_batch: OnBatch = no_word) -> None:
    """Make what a recipe's rules need; `on_batch` is called between batches, for a lease to be renewed."""
    if "kernel" in needs:
        fill_kernels(limit, on_batch)
    if "program" in needs:
        fill_programs(limit, on_batch)
