"""The training texts of the project's own tokenizer: freely usable texts on the machine that trains it.

| part | text | licence |
| --- | --- | --- |
| demo pack | traces, programs and kernels that come with this project | Apache-2.0, as the project |
| Python | sources of its standard library without its tests, its C headers, its language reference | PSF-2.0 |
| PyTorch | Python sources of torch and its C++ headers, if torch is installed | BSD-3-Clause |

Docstrings are included a second time, as plain prose: a trace is prose about code. A vocabulary contains single words
and parts of words with their order of frequency; it reproduces none of these texts.
"""

from __future__ import annotations

import ast
import importlib
import sysconfig
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from datasets_app import demo_pack

DEMO_TIMES = 6  # it is small, and the most similar to the texts that are counted
LEFT_OUT = {"test", "tests", "site-packages", "idlelib", "lib2to3", "__pycache__", "turtledemo", "testing"}
TORCH_FOLDERS = ("nn", "optim", "distributions", "_refs", "utils", "autograd", "include/ATen", "include/c10")
TORCH_FILES = ("_torch_docs.py", "_tensor_docs.py", "functional.py")


def texts() -> Iterator[str]:
    """Yield every text, in a fixed order."""
    yield from list(demo_texts()) * DEMO_TIMES
    for path in [*python_files(), *torch_files()]:
        text = path.read_text(encoding="utf-8", errors="replace")
        yield text
        if path.suffix == ".py":
            yield from docstrings(text)
    yield from importlib.import_module("pydoc_data.topics").topics.values()


def demo_texts() -> Iterator[str]:
    for row in demo_pack.read_pack():
        yield from (value for value in row.values() if isinstance(value, str))


def sources(folder: Path, suffix: str) -> list[Path]:
    paths = folder.rglob(f"*{suffix}")
    return sorted(path for path in paths if not LEFT_OUT & set(path.relative_to(folder).parts))


def python_files() -> list[Path]:
    paths = sysconfig.get_paths()
    return sources(Path(paths["stdlib"]), ".py") + sources(Path(paths["include"]), ".h")


def torch_files() -> list[Path]:
    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        return []
    root = Path(spec.origin).parent
    paths = [
        path for name in TORCH_FOLDERS for suffix in (".py", ".h") for path in sources(root / name, suffix)
    ]
    return paths + [root / name for name in TORCH_FILES if (root / name).exists()]


def docstrings(source: str) -> Iterator[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # from other people's sources
            tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for node in ast.walk(tree):
        if isinstance(node, documented) and (text := ast.get_docstring(node)):
            yield text
