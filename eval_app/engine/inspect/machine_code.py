"""Machine code of built modules: SASS, PTX and resources of CUDA kernels, functions of C++ extensions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eval_app.engine.contract.inspection import MAX_CODE_CHARS, MAX_KERNELS, MAX_NAME_CHARS, KernelFacts
from eval_app.engine.inspect import tools

# A name in a candidate's own cubin may hold anything, newlines included: no pattern may read a text more than once.
_ARCH = re.compile(r"^[ \t]*arch = (sm_\w+)", re.MULTILINE)
_COUNT = r"(\d{1,9})"
_RESOURCES = re.compile(
    rf"^[ \t]*Function (\S{{1,4000}}):[ \t]*\n[ \t]*REG:{_COUNT} STACK:{_COUNT} SHARED:{_COUNT} LOCAL:{_COUNT}(.*)$",
    re.MULTILINE,
)
_CONSTANT = re.compile(rf"CONSTANT\[\d{{1,9}}\]:{_COUNT}")
_SASS_FUNCTION = re.compile(r"^[ \t]*Function : (\S+)[ \t]*$", re.MULTILINE)
_LOCAL_ACCESS = re.compile(r"\b(STL|LDL)((?:\.\w+)*)\s")
_WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
# Encodings beside the instructions are of no use to a reader and make up two thirds of the text.
_ENCODING = re.compile(r"(?<![ \t])[ \t]*/\* 0x[0-9a-f]{16} \*/[ \t]*$", re.MULTILINE)
# Headers that cuobjdump writes for each file in a fat binary.
_FILE_HEADS = re.compile(
    r"^(?:Fatbin (?:elf|ptx) code:|=+|(?:arch|code version|host|compile_size|ptxasOptions) =.*|compressed"
    r"|\t\.target\s.*|[ \t]*code for sm_\w+)$\n?",
    re.MULTILINE,
)
_EMPTY_LINES = re.compile(r"\n\s*\n+")
_OBJDUMP_FUNCTION = re.compile(r"^[0-9a-f]{8,} <(.*)>:$")
# Functions that every extension contains besides the candidate's.
_NOT_OWN = (
    "_", "std::", "pybind11::", "at::", "c10::", "torch::", "void std::", "void pybind11::", "bool std::",
    "frame_dummy", "register_tm_clones", "deregister_tm_clones", "operator", "PyInit_", "pybind11_init_", "void at::",
    "caffe2::",
    "vtable", "typeinfo", "non-virtual", "virtual thunk", "void c10::", "at_", "aoti_",
)  # fmt: skip


@dataclass
class Code:
    """Code of one or several modules."""

    kernels: list[KernelFacts] = field(default_factory=list)
    sass: str = ""
    ptx: str = ""
    assembly: str = ""
    missing: dict[str, str] = field(default_factory=dict)


def read_modules(modules: Sequence[Path], kind: str, ptx_given: str = "") -> Code:
    """Return the code of extensions (.so) and cubins, after `ptx_given`."""
    code = Code(ptx=ptx_given)
    for path in modules:
        device = _has_device_code(path)
        if device:
            _read_cuda(path, kind, code)
        if path.suffix == ".so" and not device:
            _attempt(code, "assembly", lambda path=path: _read_host(path, kind, code))  # type: ignore[misc]
    if code.sass and not code.ptx:
        code.missing.setdefault("ptx", "the modules contain only machine code")
    code.sass, code.ptx = clip(code.sass), clip(code.ptx)
    code.assembly, code.kernels = clip(code.assembly), code.kernels[:MAX_KERNELS]
    return code


def clip(text: str) -> str:
    """Return at most as much text as a report holds, with a last line that says what was left out."""
    if len(text) <= MAX_CODE_CHARS:
        return text
    note = f"\n... {len(text)} characters in all; the rest is left out\n"
    return text[: MAX_CODE_CHARS - len(note)] + note


def _has_device_code(path: Path) -> bool:
    """Return whether a file is a cubin or contains one."""
    if path.suffix == ".cubin":
        return True
    with path.open("rb") as file:
        data = file.read()
    return b".nv_fatbin" in data or b"__nv_relfatbin" in data


def _attempt(code: Code, what: str, action: object) -> None:
    try:
        action()  # type: ignore[operator]
    except (tools.ToolMissingError, OSError) as error:
        code.missing[what] = str(error)[:500]


def _read_cuda(path: Path, kind: str, code: Code) -> None:
    facts: dict[str, dict[str, int | str]] = {}

    def resources() -> None:
        facts.update(parse_resources(_cuobjdump(path, kind, "--dump-resource-usage")))

    def sass() -> None:
        text = disassembled(path, kind)
        code.sass += text
        _add_spills(facts, text)

    def ptx() -> None:
        code.ptx += parse_ptx(_cuobjdump(path, kind, "-ptx"))

    _attempt(code, "kernels", resources)
    _attempt(code, "sass", sass)
    if path.suffix != ".cubin":
        _attempt(code, "ptx", ptx)
    names = demangle(list(facts), kind)
    code.kernels += [KernelFacts(names[name][:MAX_NAME_CHARS], **values) for name, values in facts.items()]  # type: ignore[arg-type]


def disassembled(path: Path, kind: str) -> str:
    """Return the SASS of a module or a cubin. Raises ToolMissingError."""
    return parse_sass(_cuobjdump(path, kind, "-sass"))


def _cuobjdump(path: Path, kind: str, option: str) -> str:
    tool = tools.find("cuobjdump")
    output = tools.run([str(tool), option, str(path)], kind=kind, readable=[str(path.parent)])
    return tools.expect(output, "cuobjdump")


def parse_resources(text: str) -> dict[str, dict[str, int | str]]:
    """Parse `cuobjdump --dump-resource-usage`, by mangled name."""
    kernels: dict[str, dict[str, int | str]] = {}
    arches = [(match.start(), match.group(1)) for match in _ARCH.finditer(text)]
    for match in _RESOURCES.finditer(text):
        name, registers, stack, shared, _, rest = match.groups()
        arch = next((word for place, word in reversed(arches) if place < match.start()), "")
        kernels[name] = {
            "arch": arch[:20], "registers": int(registers), "stack_bytes": int(stack), "shared_bytes": int(shared),
            "constant_bytes": sum(map(int, _CONSTANT.findall(rest))),
        }  # fmt: skip
    return kernels


def parse_sass(text: str) -> str:
    """Return `cuobjdump -sass` from the first function on, without encodings; empty without functions."""
    first = _SASS_FUNCTION.search(text)
    if first is None:
        return ""
    code = _FILE_HEADS.sub("", _ENCODING.sub("", text[first.start() :]))
    return _EMPTY_LINES.sub("\n", code).strip() + "\n"


def parse_ptx(text: str) -> str:
    """Return `cuobjdump -ptx` from the first directive on; empty if there are only headers."""
    start = text.find(".version")
    return _EMPTY_LINES.sub("\n", _FILE_HEADS.sub("", text[start:])).strip() + "\n" if start >= 0 else ""


def _add_spills(facts: dict[str, dict[str, int | str]], sass: str) -> None:
    """Count local-memory accesses, each instruction once, weighted by width."""
    parts = _SASS_FUNCTION.split(sass)
    for name, body in zip(parts[1::2], parts[2::2], strict=True):
        if name in facts:
            stored = sum(_width(suffix) for kind, suffix in _LOCAL_ACCESS.findall(body) if kind == "STL")
            loaded = sum(_width(suffix) for kind, suffix in _LOCAL_ACCESS.findall(body) if kind == "LDL")
            facts[name] |= {"spill_store_bytes": stored, "spill_load_bytes": loaded}


def _width(suffix: str) -> int:
    return next((_WIDTHS[word] for word in suffix.split(".") if word in _WIDTHS), 4)


def demangle(names: list[str], kind: str) -> dict[str, str]:
    """Return readable names if binutils' c++filt is installed, else the names themselves."""
    try:
        tool = tools.find("c++filt")
        output = tools.run([str(tool), *names], kind=kind, timeout_s=20.0) if names else None
    except (tools.ToolMissingError, OSError):
        output = None
    lines = output.text.splitlines() if output and output.status == 0 else []
    return dict(zip(names, lines if len(lines) == len(names) else names, strict=True))


def _read_host(path: Path, kind: str, code: Code) -> None:
    tool = tools.find("objdump")
    argv = [str(tool), "-d", "-C", "--no-show-raw-insn", "-M", "intel", "--section=.text", str(path)]
    text = tools.expect(tools.run(argv, kind=kind, readable=[str(path.parent)]), "objdump")
    code.assembly += "\n".join(own_functions(text))


def own_functions(text: str) -> Iterator[str]:
    """Yield the functions in objdump's listing that are not from a library's templates, each with its name."""
    lines: list[str] | None = None
    for line in text.splitlines():
        head = _OBJDUMP_FUNCTION.match(line)
        if head:
            if lines:
                yield "\n".join(lines)
            lines = None if head.group(1).startswith(_NOT_OWN) or "pybind11::" in head.group(1) else [line]
        elif lines is not None and line.strip():
            lines.append(line)
    if lines:
        yield "\n".join(lines)
