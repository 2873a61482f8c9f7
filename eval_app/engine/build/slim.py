"""Slim headers: only the parts of torch's headers that one source uses.

`torch/extension.h` includes the whole C++ frontend, and each `ATen/ops` header all of ATen's context; parsing
them is most of a small kernel's compile time. For each source a folder is written that comes first on the
include path, with the same header names and only what the source names. A missing part is a compile error,
and then the full headers are used: slim headers change the time, never the meaning.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from . import binding, files, thrust_stub

SHADOWED = ("torch/extension.h", "torch/torch.h", "torch/all.h", "torch/types.h", "ATen/ATen.h")

# These need the frontend itself, so the slim form would only cost time.
_FRONTEND = re.compile(
    r"\btorch\s*::\s*(nn|jit|optim|data|serialize|autograd|linalg|fft|special|nested|manual_seed|save|load|cuda\s*::\s*nccl)\b"
    r"|#\s*include\s*[<\"](torch/(script|nn|csrc/(?!utils/pybind|stable|inductor)[\w/]*|jit|autograd)|ATen/native/)"
)
# Where torch:: and at:: differ (default types, requires_grad), torch's own factories are used.
_FACTORIES = re.compile(
    r"\btorch\s*::\s*(tensor|from_blob|from_file)\b|\brequires_grad\b|\busing\s+torch\s*::"
)
_PYBIND = re.compile(r"\b(PYBIND11_\w+|py\s*::|pybind11)\b")
_NAMED_OP = re.compile(r"\b(?:torch|at)\s*::\s*([A-Za-z]\w{0,99})\b")
_OPEN_NAMESPACE = re.compile(r"\busing\s+namespace\s+(?:torch|at)\b")
_CALLED = re.compile(r"\b([a-z]\w{0,99})\s*\(")
_NEEDLESS = re.compile(
    r"#include <(ATen/(Context|DeviceGuard|TensorUtils|TracerMode|core/Tensor)\.h|c10/core/Storage\.h)>\n"
)

# Headers that the full form includes, each needed only if one of the names occurs.
_ON_DEMAND = {
    "ATen/Context.h": r"globalContext|detail::get\w+Hooks",
    "ATen/DeviceGuard.h": r"device_of|DeviceGuard|OptionalDeviceGuard",
    "ATen/Parallel.h": r"parallel_for|parallel_reduce|get_num_threads|set_num_threads|in_parallel_region",
    "ATen/TensorIndexing.h": r"TensorIndex|Slice|indexing|index_put_|\.index\(",
    "ATen/TensorUtils.h": r"checkAllSameGPU|TensorArg|CheckedFrom|checkDim",
    "ATen/core/Formatting.h": r"std::cout|std::cerr|std::ostream|ostringstream|stringstream",
    "ATen/core/Generator.h": r"\bGenerator\b",
    "ATen/core/grad_mode.h": r"NoGradGuard|AutoGradMode|InferenceMode|GradMode",
    "ATen/core/Reduction.h": r"\bReduction\b",
    "ATen/OpMathType.h": r"opmath_type",
    "ATen/AccumulateType.h": r"acc_type",
    "ATen/ExpandUtils.h": r"expand_(inplace|outplace|size|to)\b|infer_size",
    "ATen/ScalarOps.h": r"scalar_tensor|scalar_to_tensor",
    "torch/cuda.h": r"torch\s*::\s*cuda\s*::",
    "torch/library.h": r"TORCH_LIBRARY\w*",
    "torch/csrc/utils/pybind.h": _PYBIND.pattern,
    "torch/csrc/Exceptions.h": r"wrap_pybind_function\w*|HANDLE_TH_ERRORS",
    "torch/version.h": r"TORCH_VERSION\w*",
    "iostream": r"std::(cout|cerr|clog|endl)|\b(cout|cerr|endl)\b",
    "sstream": r"stringstream",
    "iomanip": r"std::(setw|setprecision|hex)",
    "fstream": r"fstream",
    "chrono": r"std::chrono",
    "thread": r"std::(this_thread|thread)",
    "mutex": r"std::(\w*mutex|lock_guard|unique_lock|scoped_lock|call_once|once_flag)",
    "condition_variable": r"condition_variable",
    "future": r"std::(future|async|promise)",
    "atomic": r"std::atomic",
    "random": r"std::(mt19937\w*|\w+_distribution|random_device)",
    "regex": r"std::regex",
    "map": r"std::map",
    "set": r"std::set",
    "unordered_map": r"std::unordered_map",
    "unordered_set": r"std::unordered_set",
    "deque": r"std::(deque|queue)",
    "queue": r"std::(priority_)?queue",
    "list": r"std::list",
    "numeric": r"std::(accumulate|iota|inner_product|partial_sum|reduce)",
    "complex": r"std::complex",
    "functional": r"std::(function|plus|multiplies|greater|less|bind|hash)",
    "bitset": r"std::bitset",
}
_ALWAYS = (
    "ATen/core/Tensor.h",
    "ATen/Dispatch.h",
    "ATen/TensorOperators.h",
    "c10/util/irange.h",
    *(
        "algorithm",
        "array",
        "cassert",
        "cmath",
        "cstdint",
        "cstdio",
        "cstdlib",
        "cstring",
        "limits",
        "memory",
    ),
    *("optional", "stdexcept", "string", "tuple", "type_traits", "utility", "vector"),
    *("math.h", "stdlib.h"),  # as in the full form, abs(x) of a float is no abs of an int
)

_TORCH_NAMESPACE = """
namespace torch {
using namespace at;
using std::nullopt;
using std::optional;
using Dtype = at::ScalarType;
constexpr auto kUInt8 = at::kByte, kInt8 = at::kChar, kInt16 = at::kShort;
constexpr auto kInt32 = at::kInt, kInt64 = at::kLong;
constexpr auto kUInt16 = at::kUInt16, kUInt32 = at::kUInt32, kUInt64 = at::kUInt64;
constexpr auto kFloat16 = at::kHalf, kFloat32 = at::kFloat, kFloat64 = at::kDouble;
constexpr auto kU8 = kUInt8, kU16 = kUInt16, kU32 = kUInt32, kU64 = kUInt64;
constexpr auto kI8 = kInt8, kI16 = kInt16, kI32 = kInt32, kI64 = kInt64;
constexpr auto kF16 = kFloat16, kF32 = kFloat32, kF64 = kFloat64;
}  // namespace torch
"""


def is_worth_trying(text: str) -> bool:
    """Return whether the slim form may work: the source does not name the C++ frontend itself."""
    return not _FRONTEND.search(text)


def uses_pybind(text: str) -> bool:
    """Return whether a source writes its own bindings or mentions pybind11 for another reason."""
    return bool(_PYBIND.search(text))


def write_headers(folder: Path, text: str, torch_include: Path, *, light_binding: str = "") -> None:
    """Fill `folder`, which comes first on the include path, for one source.

    `light_binding` is the text of the light binding's header if the source is bound by it.
    """
    names = sorted(_operators(text, torch_include))
    _write(folder / "concur/slim.h", _umbrella(text, names, torch_include))
    for header in SHADOWED:
        _write(folder / header, "#pragma once\n#include <concur/slim.h>\n")
    for name in {*names, "empty_like"}:
        original = (torch_include / "ATen/ops" / f"{name}.h").read_text("utf-8")
        _write(folder / "ATen/ops" / f"{name}.h", without_context(original))
    if thrust_stub.is_enough(text):
        _write(folder / thrust_stub.HEADER, thrust_stub.TEXT)
    if light_binding:
        _write(folder / "concur/binding.h", light_binding)


def without_context(header: str) -> str:
    """Return an operator's header without the parts of ATen that its inline wrappers do not use."""
    return _NEEDLESS.sub("", header)


def _operators(text: str, torch_include: Path) -> Iterator[str]:
    """Yield names for which torch has an operator header; out= and in-place forms by their base name."""
    names = set(_NAMED_OP.findall(text))
    if _OPEN_NAMESPACE.search(text):
        names |= set(_CALLED.findall(text))
    operators = set()
    for name in names:
        for base in (name, name.removesuffix("_outf").removesuffix("_out"), name.removesuffix("_")):
            if (torch_include / "ATen/ops" / f"{base}.h").is_file():
                operators.add(base)
    yield from operators


def _umbrella(text: str, operators: list[str], torch_include: Path) -> str:
    on_demand = [header for header, pattern in _ON_DEMAND.items() if re.search(pattern, text)]
    headers = [*_ALWAYS, *on_demand, *(f"ATen/ops/{name}.h" for name in operators)]
    if _FACTORIES.search(text):
        headers.append("torch/csrc/autograd/generated/variable_factories.h")
    standard = [name for name in headers if "/" not in name or (torch_include / name).is_file()]
    api = [name for name in headers if name.startswith("torch/") and name not in standard]
    lines = [f"#include <{name}>" for name in [*standard, *api]]
    switches = "#ifndef AT_PER_OPERATOR_HEADERS\n#define AT_PER_OPERATOR_HEADERS\n#endif\n"
    return "#pragma once\n" + switches + "\n".join(lines) + "\n" + _TORCH_NAMESPACE


def _write(path: Path, text: str) -> None:
    files.write(path, text.encode("utf-8", "replace"))


def binding_header(tensor_unpack: str) -> str:
    """Return the light binding's header for this torch; empty if it cannot be used."""
    return binding.header(tensor_unpack) if tensor_unpack else ""
