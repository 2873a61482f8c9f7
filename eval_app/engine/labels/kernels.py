"""Labels for who does the work: the program's own kernel, the library, a compiler, or a fallback."""

import ast
import re
from collections.abc import Iterator

from .program import Label, Program, calls_to, in_native

_GEMM = {
    *(
        "matmul",
        "mm",
        "bmm",
        "addmm",
        "addbmm",
        "baddbmm",
        "einsum",
        "tensordot",
        "chain_matmul",
        "multi_dot",
    ),
    *(
        "dot",
        "mv",
        "addmv",
        "ger",
        "outer",
        "linear",
        "bilinear",
        "scaled_dot_product_attention",
        "_scaled_mm",
    ),
    *("conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"),
}
_GEMM_MODULES = {f"torch.nn.{name}" for name in ("functional", "backends")} | {
    "torch",
    "torch.linalg",
    "torch.ops.aten",
}
_GEMM_METHODS = {"matmul", "mm", "bmm", "addmm", "addmm_", "baddbmm", "mv", "dot", "addmv"}
_GEMM_NATIVE = re.compile(
    r"\b(?:at|torch)::(?:_ops::)?(?:matmul|mm|bmm|addmm|baddbmm|einsum|linear|conv\w*|_convolution|mv|dot|tensordot)\b"
    r"|\bcublas(?:Lt)?\w*(?:[Gg]emm|Matmul)\w*|\bcudnn\w*(?:Forward|Execute)\w*|\.(?:matmul|mm|bmm)\("
)
_WEIGHT_MODULES = {
    *("Linear", "Bilinear", "MultiheadAttention", "LSTM", "GRU", "RNN"),
    *("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"),
}


def _library_gemm(program: Program) -> Iterator[Label]:
    for node in program.nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield program.label("uses_library_gemm", node)
    own = _weight_modules(program)
    for call, name in program.calls:
        if _names_gemm(name) or _calls_own_module(call, own):
            yield program.label("uses_library_gemm", call)
    yield from in_native(program, "uses_library_gemm", _GEMM_NATIVE)


def _names_gemm(name: str) -> bool:
    module, _, function = name.rpartition(".")
    if name.startswith("."):  # a method of some value
        return function in _GEMM_METHODS
    return module in _GEMM_MODULES and function in _GEMM


def _calls_own_module(call: ast.Call, own: set[str]) -> bool:
    """Return whether the call is `self.x(...)` and `own` has "x"."""
    target = call.func
    if not (
        isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self"
    ):
        return False
    return target.attr in own


def _weight_modules(program: Program) -> set[str]:
    """Return the attributes that the program sets to `nn.Linear(...)` or another module with weights."""
    names: set[str] = set()
    for node in program.nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            kind = program.dotted(node.value.func)
            if kind.startswith("torch.nn.") and kind.rpartition(".")[2] in _WEIGHT_MODULES:
                names |= {target.attr for target in node.targets if isinstance(target, ast.Attribute)}
    return names


def _no_custom_kernel(program: Program) -> Iterator[Label]:
    compiled = any(name == "torch.compile" for _, name in program.calls)
    own = program.native_texts or program.triton_kernels or program.loads_extensions or compiled
    runtime = any(
        name.rpartition(".")[2] in {"RawKernel", "RawModule", "_compile_kernel"} for _, name in program.calls
    )
    if not own and not runtime:
        yield Label(
            "no_custom_kernel", 0, "no C++, CUDA or Triton source, and nothing compiled: plain PyTorch calls"
        )


def _try_fallback(program: Program) -> Iterator[Label]:
    """Find handlers that continue with something else instead of raising."""
    raising = program.holding(lambda node: isinstance(node, ast.Raise))
    working = program.holding(lambda node: isinstance(node, ast.Call) and _does_work(program, node))
    for node in program.nodes:
        if not isinstance(node, ast.Try | ast.TryStar | ast.With) or working.isdisjoint(map(id, node.body)):
            continue
        if isinstance(node, ast.With) and _suppresses(program, node):
            yield program.label("try_fallback", node)
        for handler in node.handlers if isinstance(node, ast.Try | ast.TryStar) else []:
            if id(handler) not in raising:
                yield program.label("try_fallback", handler)


def _suppresses(program: Program, block: ast.With) -> bool:
    calls = [item.context_expr for item in block.items if isinstance(item.context_expr, ast.Call)]
    return any(program.dotted(call.func) == "contextlib.suppress" for call in calls)


_PLAIN = {
    *["print", "open", "float", "int", "str", "len", "getattr", "setattr", "hasattr", "isinstance", "range"]
}


def _does_work(program: Program, call: ast.Call) -> bool:
    """Return whether a call is anything but plain input and output."""
    name = program.dotted(call.func)
    return name not in _PLAIN and not name.startswith(("os.", "warnings.", "logging."))


def _weights_cached(program: Program) -> Iterator[Label]:
    """Find transformed weights that are kept on the module."""
    for node in program.nodes:
        if not isinstance(node, ast.Assign) or not any(_is_own(target) for target in node.targets):
            continue
        reads = [inner for inner in ast.walk(node.value) if isinstance(inner, ast.Attribute)]
        if (
            isinstance(node.value, ast.Call | ast.Tuple)
            and any(read.attr in ("weight", "bias") for read in reads)
            and any(isinstance(inner, ast.Call) for inner in ast.walk(node.value))
            and not _makes_parameter(program, node)
        ):
            yield program.label("weights_cached", node)


def _makes_parameter(program: Program, node: ast.Assign) -> bool:
    return isinstance(node.value, ast.Call) and program.dotted(node.value.func).endswith(
        (".Parameter", ".Buffer")
    )


def _is_own(target: ast.expr) -> bool:
    base = target.value if isinstance(target, ast.Subscript) else target
    return isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name) and base.value.id == "self"


def _torch_compile(program: Program) -> Iterator[Label]:
    yield from calls_to(
        program, "uses_torch_compile", lambda name: name in {"torch.compile", "torch.jit.script"}
    )
    for node in program.nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                target = decorator.func if isinstance(decorator, ast.Call) else decorator
                if program.dotted(target) in {"torch.compile", "torch.jit.script"}:
                    yield program.label("uses_torch_compile", decorator)


CHECKS = (_library_gemm, _no_custom_kernel, _try_fallback, _weights_cached, _torch_compile)
