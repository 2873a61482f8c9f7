"""From a request to compiler commands: the files, the command for each object, and the link.

Nothing here runs a compiler, and only the `write` methods touch the disk.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from . import binding, files, flags, slim
from .request import BuildRefusedError, BuildRequest, Unit
from .toolchain import Toolchain

FULL, SLIM = "full", "slim"

# Hopper's instructions that the plain architecture lacks.
_ARCH_SPECIFIC = re.compile(r"\b(wgmma|setmaxnreg)\b|\b(?:sm|compute)_\d+a\b")
_STANDARD = re.compile(r"-?-std=(?:c|gnu)\+\+(\w+)")

# Peak memory per compiler in MB, with some margin: measured 3009, 586, 1439 and 274.
_PEAK_MB = {("cuda", FULL): 3200, ("cuda", SLIM): 1000, ("cpp", FULL): 1600, ("cpp", SLIM): 500}


@dataclass(frozen=True)
class Compile:
    """One command that makes one object."""

    unit: Unit  # with the generated parts of its tier
    tier: str
    light: bool  # bound by the light header
    argv: tuple[str, ...]
    object_path: Path
    peak_mb: int


class Plan:
    """The compiler calls that build one request in one folder."""

    def __init__(self, request: BuildRequest, toolchain: Toolchain, folder: Path) -> None:
        """Validate the flags. Raises BuildRefusedError for forbidden ones and for CUDA on a machine without it."""
        self.request, self.toolchain, self.folder = request, toolchain, folder
        roots = toolchain.allowed_roots
        self._host = _with_standard(flags.host_flags(request.extra_cflags, roots), toolchain.std)
        self._cuda = _with_standard(flags.cuda_flags(request.extra_cuda_cflags, roots), toolchain.std)
        self._link = flags.link_flags(request.extra_ldflags, roots)
        self._includes = flags.include_paths(request.extra_include_paths, roots)
        _check_bound_names(request)
        if request.uses_cuda:
            self._arch_flag = _arch_flag(request, toolchain)

    @property
    def output(self) -> Path:
        """Return the only folder that compilers may write: whatever they leave there, the engine writes nothing beside
        it."""
        return self.folder / "out"

    @property
    def module_path(self) -> Path:
        """Return the linker's output path; its stem is the name in the module's init function."""
        return self.output / f"{self.request.build_name}.so"

    def unit_names(self) -> list[str]:
        """Return the names of the files to compile."""
        if self.request.files:
            return [name for name, _ in self.request.files]
        return ["main.cpp", "cuda.cu"] if self.request.cuda_sources else ["main.cpp"]

    def tiers(self, name: str) -> list[str]:
        """Return the tiers to try for one file, cheapest first."""
        return [SLIM, FULL] if slim.is_worth_trying(self._own_text(name)) else [FULL]

    def compile(self, name: str, tier: str) -> Compile:
        """Return the command for one file in one tier."""
        light = tier == SLIM and self._can_bind_lightly(name)
        unit = Unit(name, self._text(name, light=light))
        stem = name.replace("/", "_")
        target = self.output / f"{stem}.{tier}.o"
        source = self.source_path(name, tier)
        make = self._nvcc if self._by_nvcc(unit) else self._cxx
        argv = (*make(tier, name), "-c", str(source), "-o", str(target))
        kind = "cuda" if self._by_nvcc(unit) else "cpp"
        return Compile(unit, tier, light, argv, target, _PEAK_MB[kind, tier])

    def write(self, step: Compile) -> None:
        """Write the file that a command compiles, and the slim headers of its tier; create the folder for its output."""
        self.output.mkdir(exist_ok=True)
        source = self.source_path(step.unit.filename, step.tier)
        files.write(source, step.unit.text.encode("utf-8", "replace"))
        if step.tier == SLIM:
            light = slim.binding_header(self.toolchain.tensor_unpack) if step.light else ""
            include = Path(self.toolchain.torch_includes[0])
            slim.write_headers(
                self._slim_folder(step.unit.filename), step.unit.text, include, light_binding=light
            )

    def write_headers(self) -> None:
        """Write the request's own header files."""
        for name, text in self.request.headers:
            files.write(self.folder / "include" / name, text.encode("utf-8", "replace"))

    def link(self, objects: list[Path]) -> list[str]:
        """Return the command that links the objects to the module."""
        tools = self.toolchain
        cuda = self.request.uses_cuda
        libraries = ["-lc10", *(["-lc10_cuda"] if cuda and tools.torch_has_cuda else []), "-ltorch_cpu"]
        libraries += ["-ltorch_cuda"] if cuda and tools.torch_has_cuda else []
        libraries += ["-ltorch", "-ltorch_python"]
        toolkit = _toolkit_libraries(tools.cuda_home) if cuda else []
        own = [
            tools.cxx,
            *map(str, objects),
            "-shared",
            *self._link,
            f"-L{tools.torch_lib}",
            *libraries,
            *toolkit,
        ]
        return [*own, "-o", str(self.module_path)]

    def source_path(self, name: str, tier: str) -> Path:
        """Return the path of a file for one tier, since the generated part differs by tier."""
        return self.folder / "src" / tier / name

    def _own_text(self, name: str) -> str:
        if self.request.files:
            return dict(self.request.files)[name]
        return "\n".join(self.request.cuda_sources if name == "cuda.cu" else self.request.cpp_sources)

    def _text(self, name: str, *, light: bool) -> str:
        if self.request.files:
            return self._own_text(name)
        return _cuda_text(self.request) if name == "cuda.cu" else self._main_text(light=light)

    def _main_text(self, *, light: bool) -> str:
        head = [] if self.request.no_implicit_headers else ["#include <torch/extension.h>"]
        head += ["#include <concur/binding.h>"] if light else []
        functions = self.request.functions
        tail = []
        if functions is not None and light:
            tail = [binding.light_module(functions)]
        elif functions is not None:
            torch_errors = self.request.with_pytorch_error_handling
            tail = [binding.pybind_module(functions, torch_errors=torch_errors)]
        return "\n".join([*head, *self.request.cpp_sources, *tail]) + "\n"

    def _can_bind_lightly(self, name: str) -> bool:
        bound = name == "main.cpp" and not self.request.files and self.request.functions is not None
        return bound and bool(self.toolchain.tensor_unpack) and not slim.uses_pybind(self._own_text(name))

    def _by_nvcc(self, unit: Unit) -> bool:
        return unit.is_cuda and self.request.uses_cuda

    def _slim_folder(self, name: str) -> Path:
        return self.folder / "slim" / name.replace("/", "_")

    def _common(self, tier: str, name: str) -> list[str]:
        tools = self.toolchain
        slim_include = [f"-I{self._slim_folder(name)}"] if tier == SLIM else []
        own = [f"-I{self.folder / 'include'}", f"-I{self.source_path(name, tier).parent}"]
        candidates = [f"-I{path}" for path in self._includes]
        toolkit = [f"{tools.cuda_home}/include"] if self.request.uses_cuda else []
        system = [
            word
            for path in (*tools.torch_includes, *toolkit, tools.python_include)
            for word in ("-isystem", path)
        ]
        defines = [f"-DTORCH_EXTENSION_NAME={self.request.build_name}", "-DTORCH_API_INCLUDE_EXTENSION_H"]
        return [*defines, *tools.abi_flags, *slim_include, *own, *candidates, *system]

    def _cxx(self, tier: str, name: str) -> list[str]:
        return [self.toolchain.cxx, *self._common(tier, name), "-fPIC", *self._host]

    def _nvcc(self, tier: str, name: str) -> list[str]:
        tools = self.toolchain
        fixed = [*tools.nvcc_flags, self._arch_flag, "--compiler-options", "-fPIC", "-ccbin", tools.cxx]
        return [tools.nvcc, *self._common(tier, name), *fixed, *self._cuda]


def device_texts(request: BuildRequest) -> dict[str, str]:
    """Return the texts from which device code is compiled, by the names that they have for the compiler."""
    inline = {"cuda.cu": _cuda_text(request)} if request.cuda_sources else {}
    return {**inline, **dict(request.headers), **dict(request.files)}


def _cuda_text(request: BuildRequest) -> str:
    implicit = ["torch/types.h", "cuda.h", "cuda_runtime.h"]
    heads = [] if request.no_implicit_headers else [f"#include <{name}>" for name in implicit]
    return "\n".join([*heads, *request.cuda_sources]) + "\n"


def _check_bound_names(request: BuildRequest) -> None:
    """Refuse a binding for a function that no C++ source mentions: no torch header can provide it.

    It is the commonest error in published kernels, and the compilers would take a minute to find it.
    """
    text = "\n".join(request.cpp_sources)
    if not request.functions or "##" in text:  # names may be pasted together
        return
    mentioned = {word[0] for word in re.finditer(r"\w+", text)}
    for name, _ in request.functions:
        if re.fullmatch(r"\w+", name) and name not in mentioned:
            raise BuildRefusedError(
                f"load_inline binds the function {name!r}, which no C++ source declares: the file with the "
                f"bindings cannot be compiled. Declare {name} in cpp_sources"
            )


def _toolkit_libraries(cuda_home: str) -> list[str]:
    folder = f"{cuda_home}/lib64"
    return [f"-L{folder}", f"-L{folder}/stubs", f"-Wl,-rpath,{folder}", "-lcudart"]


def _arch_flag(request: BuildRequest, toolchain: Toolchain) -> str:
    if not toolchain.nvcc:
        raise BuildRefusedError("this extension has CUDA sources, and this machine has no nvcc")
    match = re.fullmatch(r"(\d+)\.(\d)", toolchain.arch)
    if match is None:
        raise BuildRefusedError("this extension has CUDA sources, and this run has no CUDA device")
    number = match[1] + match[2]
    text = "\n".join([*request.texts(), *request.extra_cuda_cflags])
    # The architecture with a device's own instructions: from Blackwell on even conversions to fp4 need it.
    if int(match[1]) >= 10 or (int(match[1]) == 9 and _ARCH_SPECIFIC.search(text)):
        number += "a"
    # Includes the PTX of the machine code, for inspection; the driver loads the machine code.
    return f"-gencode=arch=compute_{number},code=[sm_{number},compute_{number}]"


def _with_standard(words: list[str], torch_standard: str) -> list[str]:
    """Return the flags with one -std: the candidate's, or torch's if that is too old for its headers."""
    requested = [match[1] for word in words if (match := _STANDARD.fullmatch(word))]
    rest = [word for word in words if not _STANDARD.fullmatch(word)]
    least = torch_standard.removeprefix("c++")
    newest = max(
        [least, *(year for year in requested if year.isdigit() and year not in ("98", "03"))], key=_year
    )
    return [f"-std=c++{newest}", *rest]


def _year(standard: str) -> int:
    return int(standard) if standard.isdigit() else 0
