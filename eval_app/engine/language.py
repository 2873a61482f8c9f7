"""What a candidate is written in, read off its syntax tree. Only to tell early that a machine cannot run it."""

from __future__ import annotations

import ast

from eval_app.engine.contract import Language

_KERNEL_MARKS = ("__global__", "<<<")
_LOADERS = {"load_inline", "load"}


def detect(source: str) -> Language:
    """The language of a program; PYTHON where nothing else shows, a syntax error included."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Language.PYTHON
    nodes = list(ast.walk(tree))
    if any(isinstance(node, ast.Constant) and _is_kernel(node.value) for node in nodes):
        return Language.CUDA
    if any(_imports(node, "triton") for node in nodes):
        return Language.TRITON
    return Language.CPP if any(_calls_loader(node) for node in nodes) else Language.PYTHON


def needs_gpu(language: Language) -> bool:
    """Whether no CPU can run it."""
    return language in (Language.CUDA, Language.TRITON)


def _is_kernel(value: object) -> bool:
    return isinstance(value, str) and any(mark in value for mark in _KERNEL_MARKS)


def _imports(node: ast.AST, package: str) -> bool:
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] == package for alias in node.names)
    return isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == package


def _calls_loader(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in _LOADERS and any(word.arg in {"cpp_sources", "sources", "name"} for word in node.keywords)
