"""Validation of a candidate's compiler flags.

The compiler runs in a sandbox, but its flags could still make it load code, run programs, or access files
beside the sources. Flags are therefore accepted by a list of known patterns; all others are refused by name.
"""

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from .request import BuildRefusedError

_PLAIN = r"[\w.+-]+"  # a value that cannot name a path or a response file
# nvcc starts its tools through a shell, with each word in double quotes, in which these still have a meaning.
_EXPANDED = re.compile(r"[$`\\]")

_HOST = re.compile(
    rf"-O[0-3sgz]?|-Ofast|-g[0-3]?|-ggdb[0-3]?|-w|-pthread|-pipe|-pedantic|-v|-s|-fPIC|-fpic"
    rf"|-W(?![lap],)[a-zA-Z][\w+-]*(={_PLAIN})?"
    rf"|-f(?!plugin|module|dump|profile|auto-profile|compare-debug|lto-partition|debug-prefix|file-prefix|macro-prefix)"
    rf"[a-z][a-z0-9-]*(={_PLAIN}(,{_PLAIN})*)?"
    rf"|-m[a-z0-9][\w.+-]*(={_PLAIN})?"
    rf"|-std={_PLAIN}|-D[A-Za-z_]\w*(=.*)?|-U[A-Za-z_]\w*",
    re.DOTALL,
)
_NVCC_SWITCHES = re.compile(
    r"--?(use_fast_math|expt-relaxed-constexpr|expt-extended-lambda|extended-lambda|lineinfo|generate-line-info"
    r"|device-debug|G|restrict|extra-device-vectorization|disable-warnings|resource-usage|res-usage|verbose"
    r"|source-in-ptx|src-in-ptx|allow-unsupported-compiler|forward-unknown-to-host-compiler|dlto|lto|rdc|no-compress"
    r"|Wno-deprecated-gpu-targets|Wreorder|display-error-number|no-display-error-number|debug|keep-device-functions"
    r"|fatbin-options=-compress-all|compress-all|shared|relocatable-device-code|dopt=on|m64|Wext-lambda-captures-this)"
)
_NVCC_VALUES = re.compile(
    r"--?(ftz|fmad|prec-div|prec-sqrt|maxrregcount|std|optimize|diag-suppress|diag-warn|diag-error|default-stream|dopt"
    r"|relocatable-device-code|rdc|cudart|cudadevrt|Werror|optimization-info|opt-info|machine|jump-table-density"
    r"|static-global-template-stub|device-stack-protector|maxntid)"
)
_FORWARDED = re.compile(r"-Xcompiler|--compiler-options")
_TOOL_OPTIONS = re.compile(
    r"-Xptxas|--ptxas-options|-Xcudafe|--cudafe-options|-Xnvlink|--nvlink-options|-Xfatbin|--fatbin-options"
)
_TOOL_VALUE = re.compile(rf'"?-{{0,2}}[A-Za-z]\w*([\w-]*)(=({_PLAIN}))?"?')
# The service chooses the architecture and the parallelism: these are removed, with their values.
_OURS = re.compile(
    r"-arch|--gpu-architecture|-code|--gpu-code|-gencode|--generate-code|-t|--threads|-split-compile|--split-compile"
)
_LIBRARY = re.compile(r"-l:?[\w.+-]+")
_LINKER = re.compile(
    rf"-Wl(,(--(no-)?as-needed|--(no-)?whole-archive|--exclude-libs|ALL|-O\d|--gc-sections|--no-undefined"
    rf"|--allow-shlib-undefined|-z|now|relro|noexecstack|-Bsymbolic(-functions)?|-s|--strip-all|-l{_PLAIN}))+"
)
_LINK_PLAIN = re.compile(
    rf"-shared|-fopenmp|-pthread|-O[0-3]|-flto|-s|-m[a-z0-9][\w.=-]*|-fPIC|-g|-static-lib(gcc|stdc\+\+)"
    rf"|-fuse-ld=(bfd|gold|lld)|-no-pie|-rdynamic|-Wno-{_PLAIN}"
)


def host_flags(flags: Iterable[str], roots: Iterable[str]) -> list[str]:
    """Return the C++ compiler's flags, split as a shell would.

    Raises BuildRefusedError for a flag that is not known to be safe.
    """
    return list(_host(_split(flags), tuple(roots)))


def cuda_flags(flags: Iterable[str], roots: Iterable[str]) -> list[str]:
    """Return nvcc's flags without architecture and thread counts, which the service sets itself."""
    words = _split(flags)
    expanded = next(filter(_EXPANDED.search, words), None)
    if expanded is not None:
        raise _refusal(expanded)
    return list(_cuda(words, tuple(roots)))


def link_flags(flags: Iterable[str], roots: Iterable[str]) -> list[str]:
    """Return the linker's flags: libraries, and paths under the given roots."""
    return list(_link(_split(flags), tuple(roots)))


def include_paths(paths: Iterable[str], roots: Iterable[str]) -> list[str]:
    """Return the include paths that may be used: those under the roots of the toolkit and the system."""
    allowed = tuple(roots)
    return [path for path in paths if is_below(path, allowed)]


def is_below(path: str, roots: tuple[str, ...]) -> bool:
    """Return whether an absolute path without `..`, which no shell expands, lies under one of the roots."""
    pure = PurePosixPath(path)
    if not pure.is_absolute() or ".." in pure.parts or _EXPANDED.search(path):
        return False
    return any(pure.is_relative_to(root) for root in roots)


def _split(flags: Iterable[str]) -> list[str]:
    words: list[str] = []
    for flag in flags:
        try:
            words += shlex.split(flag)
        except ValueError as error:
            raise BuildRefusedError(f"compiler flag {flag[:120]!r} has unbalanced quotes") from error
    return words


def _host(words: list[str], roots: tuple[str, ...]) -> Iterator[str]:
    queue = iter(words)
    for word in queue:
        if word in ("-I", "-isystem"):
            yield from (word, _path(word, next(queue, ""), roots))
        elif word.startswith("-I"):
            yield "-I" + _path(word, word[2:], roots)
        elif _LIBRARY.fullmatch(word):
            continue  # has no effect when only an object is compiled
        elif _HOST.fullmatch(word):
            yield word
        else:
            raise _refusal(word)


def _cuda(words: list[str], roots: tuple[str, ...]) -> Iterator[str]:
    queue = iter(words)
    for word in queue:
        option, has_value, value = word.partition("=")
        if _OURS.fullmatch(option):
            if not has_value:
                next(queue, None)
        elif _FORWARDED.fullmatch(option):
            yield from _forwarded(option, value if has_value else next(queue, ""), roots)
        elif _TOOL_OPTIONS.fullmatch(option):
            yield from (option, _tool_value(word, value if has_value else next(queue, "")))
        elif _NVCC_VALUES.fullmatch(option):
            yield f"{option}={_plain(word, value if has_value else next(queue, ''))}"
        elif _NVCC_SWITCHES.fullmatch(word):
            yield word
        elif _is_host_only(word):
            yield from ("-Xcompiler", word)
        else:
            yield from _host([word, next(queue, "")] if word in ("-I", "-isystem") else [word], roots)


def _is_host_only(word: str) -> bool:
    """Return whether the flag is one of g++ that nvcc does not know and authors pass to it anyway."""
    return bool(re.fullmatch(r"-f[a-z].*|-m(?!axrregcount|64)[a-z].*|-W(all|extra|no-.*)", word)) and bool(
        _HOST.fullmatch(word)
    )


def _forwarded(option: str, value: str, roots: tuple[str, ...]) -> Iterator[str]:
    for word in _host([part for part in re.split(r"[,\s]+", value.strip("'\"")) if part], roots):
        yield from (option, word)


def _tool_value(word: str, value: str) -> str:
    parts = [part for part in re.split(r"[,\s]+", value) if part]
    if not parts or not all(_TOOL_VALUE.fullmatch(part) for part in parts):
        raise _refusal(f"{word} {value}".strip())
    return ",".join(parts)


def _plain(word: str, value: str) -> str:
    if not re.fullmatch(rf"{_PLAIN}(,{_PLAIN})*", value):
        raise _refusal(f"{word} {value}".strip())
    return value


def _link(words: list[str], roots: tuple[str, ...]) -> Iterator[str]:
    queue = iter(words)
    for word in queue:
        if word == "-L":
            yield "-L" + _path(word, next(queue, ""), roots)
        elif word.startswith("-L"):
            yield "-L" + _path(word, word[2:], roots)
        elif match := re.fullmatch(r"-Wl,-rpath[,=](.+)", word):
            yield "-Wl,-rpath," + _path(word, match[1], roots)
        elif _LIBRARY.fullmatch(word) or _LINKER.fullmatch(word) or _LINK_PLAIN.fullmatch(word):
            yield word
        else:
            raise _refusal(word)


def _path(word: str, path: str, roots: tuple[str, ...]) -> str:
    if not is_below(path, roots):
        raise BuildRefusedError(
            f"compiler flag {word[:120]!r} names the path {path[:200]!r}, which is outside the toolchain; "
            "include its contents in the sources"
        )
    return path


def _refusal(word: str) -> BuildRefusedError:
    return BuildRefusedError(
        f"compiler flag {word[:200]!r} is not on the list of flags that a candidate may use; "
        "remove it, or set what it does in the source"
    )
