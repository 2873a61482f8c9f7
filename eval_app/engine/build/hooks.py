"""Hooks in the runner: torch's extension loaders replaced by ones that request a finished build.

Imports torch when installed, so it belongs only into a process that runs a candidate.
"""

import functools
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from .request import BuildNeeded, BuildRefusedError, BuildRequest

Resolve = Callable[[BuildRequest], Path]

HEADER_SUFFIXES = (".h", ".hpp", ".cuh", ".hh", ".inl", ".inc")
MAX_HEADERS = 100
MAX_FILE_BYTES = 2 * 1024 * 1024
# Folders of what is installed, torch's own headers included: compilers find them by themselves.
_INSTALLED = ("/usr/", "/opt/", *(f"{os.path.realpath(path)}/" for path in (sys.prefix, sys.base_prefix) if path != "/"))

# Requests that were not fulfilled, in order, even if the candidate swallowed the exception.
pending: list[BuildRequest] = []


def install(resolve: Resolve) -> None:
    """Replace `load` and `load_inline` of torch.utils.cpp_extension before the candidate is imported.

    `resolve(request)` returns the path of the built module, or raises BuildNeeded(request). A request that
    raises it is also added to `pending`, since a candidate's bare `except:` can swallow anything.
    """
    from torch.utils import cpp_extension

    pending.clear()
    loader = _Loader(resolve)
    for name in ("load", "load_inline"):
        setattr(cpp_extension, name, _stand_in(getattr(cpp_extension, name), getattr(loader, name)))


def _stand_in(original: Callable[..., Any], ours: Callable[..., Any]) -> Callable[..., Any]:
    """Return our loader with the original's name, docstring and signature, which a candidate may inspect."""

    @functools.wraps(original)
    def loader(*arguments: Any, **options: Any) -> Any:
        return ours(*arguments, **options)

    return loader


class _Loader:
    """The two loaders."""

    def __init__(self, resolve: Resolve) -> None:
        self._resolve = resolve

    def load_inline(
        self,
        name: str,
        cpp_sources: str | Sequence[str],
        cuda_sources: str | Sequence[str] | None = None,
        *rest: Any,
        **options: Any,
    ) -> ModuleType | str:
        """Load as torch's `load_inline` does, but compile elsewhere."""
        options = _named(rest, options, _INLINE_REST)
        request = _validated(
            name=name,
            cpp_sources=_texts(cpp_sources),
            cuda_sources=_texts(cuda_sources),
            functions=_functions(options.get("functions")),
            headers=_headers(map(Path, options.get("extra_include_paths") or ())),
            **_common(options),
        )
        return self._deliver(request)

    def load(self, name: str, sources: str | Sequence[str], *rest: Any, **options: Any) -> ModuleType | str:
        """Load as torch's `load` does: the files are read here and compiled elsewhere."""
        options = _named(rest, options, _LOAD_REST)
        if options.get("is_standalone"):
            raise BuildRefusedError("a standalone program cannot be loaded; build a module")
        paths = [Path(path) for path in ([sources] if isinstance(sources, str | os.PathLike) else sources)]
        files = [(path.name, _read(path)) for path in paths]
        folders = [*(path.parent for path in paths), *map(Path, options.get("extra_include_paths") or ())]
        request = _validated(name=name, files=files, headers=_headers(folders), **_common(options))
        return self._deliver(request)

    def _deliver(self, request: BuildRequest) -> ModuleType | str:
        try:
            path = self._resolve(request)
        except BuildNeeded:
            pending.append(request)
            raise
        return import_built(path, is_python_module=request.is_python_module)


def import_built(path: Path, *, is_python_module: bool = True) -> ModuleType | str:
    """Import a built module, or load its operators; the file's stem is the name in its init function."""
    if not is_python_module:
        import torch

        torch.ops.load_library(str(path))
        return str(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path.name} is not an extension module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_INLINE_REST = (
    *("sycl_sources", "functions", "extra_cflags", "extra_cuda_cflags", "extra_sycl_cflags", "extra_ldflags"),
    *("extra_include_paths", "build_directory", "verbose", "with_cuda", "with_sycl", "is_python_module"),
    *("with_pytorch_error_handling", "keep_intermediates", "use_pch", "no_implicit_headers"),
)
_LOAD_REST = (
    *("extra_cflags", "extra_cuda_cflags", "extra_sycl_cflags", "extra_ldflags", "extra_include_paths"),
    *("build_directory", "verbose", "with_cuda", "with_sycl", "is_python_module", "is_standalone"),
    "keep_intermediates",
)


def _named(rest: Sequence[Any], options: dict[str, Any], order: Sequence[str]) -> dict[str, Any]:
    if len(rest) > len(order):
        raise TypeError(f"too many arguments: {len(rest) - len(order)} more than the loader takes")
    named = dict(zip(order, rest, strict=False))
    unknown = sorted(set(options) - set(order))
    if unknown or set(named) & set(options):
        raise TypeError(f"unexpected argument {(unknown or sorted(set(named) & set(options)))[0]!r}")
    merged = named | options
    if merged.get("sycl_sources") or merged.get("with_sycl"):
        raise BuildRefusedError("SYCL sources cannot be built here")
    return merged


def _common(options: dict[str, Any]) -> dict[str, Any]:
    lists = ("extra_cflags", "extra_cuda_cflags", "extra_ldflags", "extra_include_paths")
    switches = {"no_implicit_headers": False, "with_pytorch_error_handling": True, "is_python_module": True}
    with_cuda = options.get("with_cuda")
    return {
        **{name: _texts(options.get(name)) for name in lists},
        **{name: bool(options.get(name, default)) for name, default in switches.items()},
        "with_cuda": None if with_cuda is None else bool(with_cuda),
    }


def _validated(**values: Any) -> BuildRequest:
    return BuildRequest.from_dict(values)


def _texts(value: str | os.PathLike[str] | Iterable[Any] | None) -> list[str]:
    if value is None:
        return []
    values = [value] if isinstance(value, str | os.PathLike) else list(value)
    return [os.fspath(item) for item in values]


def _functions(value: Any) -> list[tuple[str, str]] | None:
    if value is None:
        return None
    if isinstance(value, dict):
        return [(str(name), str(doc)) for name, doc in value.items()]
    if isinstance(value, str | list | tuple):
        return [(name, name) for name in _texts(value)]
    raise ValueError(f"Expected 'functions' to be a list or dict, but was {type(value)}")


def _read(path: Path) -> str:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise BuildRefusedError(f"{path.name} is larger than {MAX_FILE_BYTES:,} bytes")
    return path.read_text("utf-8", errors="replace")


def _headers(folders: Iterable[Path]) -> list[tuple[str, str]]:
    """Return header files beside the sources and in the candidate's own include folders, not the system's."""
    headers: dict[str, str] = {}
    for folder in folders:
        if str(folder.resolve()).startswith(_INSTALLED) or not folder.is_dir():
            continue
        for path in sorted(folder.rglob("*")):
            if path.suffix in HEADER_SUFFIXES and path.is_file():
                headers.setdefault(str(path.relative_to(folder)), _read(path))
            if len(headers) > MAX_HEADERS:
                raise BuildRefusedError(f"more than {MAX_HEADERS} header files beside the sources")
    return list(headers.items())
