"""A candidate's build request, as plain data that leaves the sandbox as JSON."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass, fields, replace
from pathlib import PurePosixPath
from typing import Any, Self

MAX_TEXT_BYTES = 4 * 1024 * 1024  # all sources and headers of one request together
MAX_ITEMS = 256  # entries of any one list
MAX_FLAG_CHARS = 4096
MAX_NAME_BYTES = 200  # of a file name with its folders, which a build joins to one name
FORMAT = 3  # part of every key; incremented when the way of building changes the result

PREFIX = "concur_extension_"  # of modules whose own name is irrelevant

_IDENTIFIER = re.compile(r"[A-Za-z_]\w{0,127}")
_FILE_NAME = re.compile(r"(?!.*\.\.)[A-Za-z0-9_][\w.+-]*(/[A-Za-z0-9_][\w.+-]*){0,7}")
_REGISTERS_BY_NAME = re.compile(r"\b(?:TORCH_LIBRARY\w*|STABLE_TORCH_LIBRARY\w*)\b")

_FLAG_LISTS = ("extra_cflags", "extra_cuda_cflags", "extra_ldflags", "extra_include_paths")
_PAIR_LISTS = ("files", "headers", "functions")
_LINE_RECORDS = ("-lineinfo", "--generate-line-info")
_SWITCHES = ("no_implicit_headers", "with_pytorch_error_handling", "is_python_module")


class BuildRefusedError(ValueError):
    """The request cannot be built as it is; the message tells the candidate's author why."""


class BuildNeeded(BaseException):
    """Raised by a hooked `load_inline` if the module has not been built yet.

    It is not an `Exception`, so that a candidate's own `except Exception` fallback does not catch it.
    """

    def __init__(self, request: "BuildRequest") -> None:
        super().__init__(f"extension {request.name!r} has to be built first")
        self.request = request


@dataclass(frozen=True)
class Unit:
    """One file for a compiler."""

    filename: str
    text: str

    @property
    def is_cuda(self) -> bool:
        """Return whether nvcc compiles it, by the same suffixes as torch's own loader."""
        return self.filename.endswith((".cu", ".cuh"))


@dataclass(frozen=True)
class BuildRequest:
    """One call of `load_inline` or `load`, by value."""

    name: str  # the extension's name as the candidate gave it
    cpp_sources: tuple[str, ...] = ()  # load_inline: joined into one main.cpp
    cuda_sources: tuple[str, ...] = ()  # load_inline: joined into one cuda.cu
    files: tuple[tuple[str, str], ...] = ()  # load: (file name, text), each compiled by itself
    headers: tuple[tuple[str, str], ...] = ()  # load: (relative path, text), found by #include
    functions: tuple[tuple[str, str], ...] | None = None  # load_inline: (function, docstring) to bind
    extra_cflags: tuple[str, ...] = ()
    extra_cuda_cflags: tuple[str, ...] = ()
    extra_ldflags: tuple[str, ...] = ()
    extra_include_paths: tuple[str, ...] = ()
    with_cuda: bool | None = None  # None: yes if there is a CUDA source
    no_implicit_headers: bool = False
    with_pytorch_error_handling: bool = True
    is_python_module: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return the request as JSON values; `from_dict` reads it back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Read untrusted JSON values. Raises BuildRefusedError for a wrong type, name or size."""
        if not isinstance(data, dict):
            raise BuildRefusedError("a build request must be an object")
        unknown = set(data) - {field.name for field in fields(cls)}
        if unknown:
            raise BuildRefusedError(f"unknown field {str(min(unknown, key=str))[:80]!r} in a build request")
        values: dict[str, Any] = {name: _checked(name, value) for name, value in data.items()}
        if "name" not in values:
            raise BuildRefusedError("a build request needs a name")
        request = cls(**values)
        request._check_sizes()
        return request

    def _check_sizes(self) -> None:
        for pairs in (self.files, self.headers):
            _check_names([name for name, _ in pairs])
        if len({name for name, _ in self.files}) < len(self.files):
            raise BuildRefusedError("two source files have the same name")
        size_bytes = sum(len(text.encode("utf-8", "replace")) for text in self.texts())
        if size_bytes > MAX_TEXT_BYTES:
            raise BuildRefusedError(
                f"sources of {size_bytes:,} bytes are over the limit of {MAX_TEXT_BYTES:,}"
            )
        if not (self.cpp_sources or self.cuda_sources or self.files):
            raise BuildRefusedError("there is no source to build")

    def texts(self) -> list[str]:
        """Return all text that a compiler will read."""
        return [*self.cpp_sources, *self.cuda_sources, *(text for _, text in (*self.files, *self.headers))]

    @property
    def uses_cuda(self) -> bool:
        """Return whether CUDA's headers and libraries are used, decided as torch does."""
        if self.with_cuda is not None:
            return self.with_cuda
        return bool(self.cuda_sources) or any(name.endswith((".cu", ".cuh")) for name, _ in self.files)

    @property
    def build_name(self) -> str:
        """Return the name to build under: derived from the content unless the sources depend on the candidate's own.

        Names that contain a clock or a process id would otherwise require a new build on every start.
        """
        text = "\n".join(self.texts())
        by_name = not self.is_python_module or _REGISTERS_BY_NAME.search(text)
        named = re.search(rf"\b{re.escape(self.name)}\b", text)
        return self.name if by_name or named else f"{PREFIX}{self._digest()[:16]}"

    def _digest(self) -> str:
        """Hash everything but the name. Python identifies extension modules by name, so each name must be unique."""
        return _sha256([FORMAT, replace(self, name="").to_dict()])

    def key(self, toolchain_fingerprint: str) -> str:
        """Return the content hash: equal for requests with the same result. 64 hexadecimal digits."""
        return _sha256([FORMAT, toolchain_fingerprint, replace(self, name=self.build_name).to_dict()])


def with_line_records(request: BuildRequest) -> BuildRequest | None:
    """Return a request for the same device code with records of its source lines, and for as little else as possible;
    None if it has none."""
    files = tuple((name, text) for name, text in request.files if Unit(name, text).is_cuda)
    if not request.uses_cuda or not (request.cuda_sources or files):
        return None
    known = any(flag in request.extra_cuda_cflags for flag in _LINE_RECORDS)
    flags = request.extra_cuda_cflags if known else (*request.extra_cuda_cflags, _LINE_RECORDS[0])
    return replace(
        request, cpp_sources=(), functions=None, files=files, extra_ldflags=(), extra_cuda_cflags=flags
    )


def _sha256(payload: object) -> str:
    text = json.dumps(payload, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _check_names(names: list[str]) -> None:
    """Refuse names that are no plain file's, or that no folder holds together."""
    for name in names:
        if not _FILE_NAME.fullmatch(name):
            raise BuildRefusedError(f"file name {name[:80]!r} must be relative and plain")
        if len(name.encode()) > MAX_NAME_BYTES:
            raise BuildRefusedError(f"file name {name[:80]!r} is longer than {MAX_NAME_BYTES} bytes")
    folders = {str(folder) for name in names for folder in PurePosixPath(name).parents}
    both = next((name for name in names if name in folders), None)
    if both is not None:
        raise BuildRefusedError(f"{both[:80]!r} is the name of a file and of a folder")


def _checked(name: str, value: object) -> object:
    if name == "name":
        return _checked_name(value)
    if name in _SWITCHES:
        return _one_of(name, value, bool)
    if name == "with_cuda":
        return None if value is None else _one_of(name, value, bool)
    if name == "functions" and value is None:
        return None
    items = _checked_list(name, value)
    if name in _PAIR_LISTS:
        return tuple(_checked_pair(name, item) for item in items)
    limit = MAX_FLAG_CHARS if name in _FLAG_LISTS else MAX_TEXT_BYTES
    return tuple(_checked_text(name, item, limit) for item in items)


def _checked_name(value: object) -> str:
    if not isinstance(value, str) or not _IDENTIFIER.fullmatch(value):
        shown = str(value)[:80]
        raise BuildRefusedError(
            f"the extension's name {shown!r} must be an identifier of at most 128 characters"
        )
    return value


def _one_of(name: str, value: object, kind: type) -> object:
    if type(value) is not kind:
        raise BuildRefusedError(f"{name} must be {kind.__name__}")
    return value


def _checked_list(name: str, value: object) -> list[object] | tuple[object, ...]:
    if not isinstance(value, list | tuple):
        raise BuildRefusedError(f"{name} must be a list")
    if len(value) > MAX_ITEMS:
        raise BuildRefusedError(f"{name} has {len(value)} entries; the limit is {MAX_ITEMS}")
    return value


def _checked_pair(name: str, item: object) -> tuple[str, str]:
    if not isinstance(item, list | tuple) or len(item) != 2:
        raise BuildRefusedError(f"each entry of {name} must be a pair of strings")
    first = _checked_text(name, item[0], MAX_FLAG_CHARS)
    return first, _checked_text(name, item[1], MAX_TEXT_BYTES)


def _checked_text(name: str, item: object, limit: int) -> str:
    if not isinstance(item, str):
        raise BuildRefusedError(f"{name} must hold text only")
    if len(item) > limit:
        raise BuildRefusedError(f"an entry of {name} has {len(item):,} characters; the limit is {limit:,}")
    if "\0" in item or any("\ud800" <= char <= "\udfff" for char in item):
        raise BuildRefusedError(f"an entry of {name} holds a character that no file and no command can hold")
    return item
