"""Probe of this machine's torch, run as a program: prints the facts for `toolchain` as one line of JSON.
Imports nothing of the engine."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

_SYMBOLS = (
    "_Z16THPVariable_WrapRKN2at10TensorBaseE",
    "_ZN5torch29translate_exception_to_pythonERKNSt15__exception_ptr13exception_ptrE",
    "THPVariableClass",
)


def main() -> int:
    """Print the facts; exit 1 with a message on stderr if torch or a compiler is missing."""
    cxx = shutil.which(os.environ.get("CXX", "g++")) or shutil.which("c++")
    if cxx is None:
        print("no C++ compiler on the PATH: install g++", file=sys.stderr)  # noqa: T201
        return 1
    try:
        facts = {**torch_facts(), **cuda_facts(), "cxx": cxx, "cxx_version": first_line([cxx, "--version"])}
    except ImportError as error:
        print(f"torch cannot be imported ({error}): install torch, numpy and ninja", file=sys.stderr)  # noqa: T201
        return 1
    print(json.dumps(facts))  # noqa: T201
    return 0


def torch_facts() -> dict[str, Any]:
    """Return versions, paths and flags of this interpreter's torch."""
    import torch
    from torch.utils import cpp_extension

    includes = [os.path.realpath(path) for path in cpp_extension.include_paths()]
    lib = os.path.realpath(cpp_extension.library_paths()[0])
    source = Path(cpp_extension.__file__).read_text("utf-8")
    standard = max(re.findall(r"'-std=(c\+\+\d\d)'", source), default="c++17")
    return {
        "python": sys.executable,
        "python_tag": f"{sys.implementation.cache_tag}-{os.uname().machine}",
        "python_include": os.path.realpath(sysconfig.get_path("include")),
        "torch_version": torch.__version__,
        "torch_includes": includes,
        "torch_lib": lib,
        "torch_has_cuda": os.path.exists(f"{lib}/libtorch_cuda.so")
        and os.path.exists(f"{lib}/libc10_cuda.so"),
        "std": standard,
        "abi_flags": abi_flags(cpp_extension),
        "nvcc_flags": list(cpp_extension.COMMON_NVCC_FLAGS),
        "tensor_unpack": tensor_unpack(includes[0], lib),
    }


def abi_flags(cpp_extension: Any) -> list[str]:
    """Return the defines for this torch's ABI, as its own builder sets them."""
    flags: list[str] = []
    for name in ("_get_pybind11_abi_build_flags", "_get_glibcxx_abi_build_flags"):
        flags += getattr(cpp_extension, name, list)()
    return flags


def tensor_unpack(include: str, lib: str) -> str:
    """Return C++ that reads a Tensor from a Python object, taken from this torch's own header.

    Empty if the header or the library has an unexpected form; then pybind11 makes the bindings.
    """
    import ctypes

    text = Path(include, "torch/csrc/autograd/python_variable.h").read_text("utf-8")
    layout = re.search(r"^struct (?:\w+ )?THPVariable \{.*?^\};", text, re.MULTILINE | re.DOTALL)
    unpack = re.search(r"THPVariable_Unpack\(THPVariable\* var\) \{\s*return (\*?var->cdata);", text)
    library = ctypes.CDLL(f"{lib}/libtorch_python.so")
    if not (layout and unpack and all(hasattr(library, symbol) for symbol in _SYMBOLS)):
        return ""
    struct = re.sub(r"struct \w+ THPVariable", "struct THPVariable", layout[0])
    return f"{struct}\ninline const at::Tensor& unpack(THPVariable* var) {{ return {unpack[1]}; }}\n"


def cuda_facts() -> dict[str, str]:
    """Return the real path of nvcc (the PATH's may be a script) and its version; empty strings without nvcc."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    nvcc = shutil.which(f"{home}/bin/nvcc") or shutil.which("nvcc")
    if nvcc is None:
        return {"nvcc": "", "nvcc_version": "", "cuda_home": ""}
    top = toolkit_top(nvcc) or str(Path(os.path.realpath(nvcc)).parent.parent)
    version = re.search(r"release [^\n]+", run_text([nvcc, "--version"]))
    return {"nvcc": f"{top}/bin/nvcc", "nvcc_version": version[0] if version else "unknown", "cuda_home": top}


def toolkit_top(nvcc: str) -> str:
    """Return the toolkit's folder as nvcc reports it in a dry run."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "empty.cu")
        source.touch()
        text = run_text([nvcc, "--dryrun", "-E", str(source)])
    top = re.search(r"^#\$ TOP=(.+)$", text, re.MULTILINE)
    return os.path.realpath(top[1]) if top else ""


def run_text(argv: list[str]) -> str:
    """Return both output streams of a short command."""
    process = subprocess.run(  # noqa: S603 - compilers found on the PATH
        argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False
    )
    return process.stdout


def first_line(argv: list[str]) -> str:
    """Return the first line that a command prints."""
    return run_text(argv).partition("\n")[0].strip()


if __name__ == "__main__":
    sys.exit(main())
