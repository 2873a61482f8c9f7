"""Makes candidates of bare .cu files: a program that compiles the file and calls it as the reference calls its
function.

Some sources publish only CUDA text with a pybind11 module. A triple needs a program that defines ModelNew, so the
reference program (whose forward takes the function to call as `fn`) and the kernel are combined.
"""

from __future__ import annotations

import ast
import hashlib
import re

from datasets_app.ingest.rows import RowError
from datasets_app.syntax.program import parse

EXPORTED = re.compile(r"""\bm\s*\.\s*def\s*\(\s*"(\w+)\"""")
LOADER = """
{assignment}
extension = load_inline(
    name="{name}",
    cpp_sources=[],
    cuda_sources=[CUDA_SOURCE],
    extra_cuda_cflags=["-O3"],
    extra_ldflags={ldflags},
)
"""
CALLED_WITH_FN = """

class ModelNew(Model):
    def forward(self, *inputs):
        return super().forward(*inputs, fn=extension.{function})
"""
BACKWARD = """
AutogradFunction.backward_fn = staticmethod(extension.{function})


class ModelNew(Model):
    fn = staticmethod(AutogradFunction.apply)
"""


def exported(code: str) -> list[str]:
    """Return the functions that the module exports, in order."""
    return EXPORTED.findall(code)


def function_called(code: str, wanted: str, field: str) -> str:
    """Return `wanted` if the module exports it, else the only function that it exports. Raises RowError."""
    names = exported(code)
    if wanted in names:
        return wanted
    if len(set(names)) == 1:
        return names[0]
    raise RowError(field, f"exports no function called {wanted} by PYBIND11_MODULE")


def literal(code: str) -> str:
    """Return the text as a Python literal, readable if possible."""
    for quotes in ("'''", '"""'):
        written = f"r{quotes}{code}{quotes}"
        if same_text(written, code):
            return written
    return repr(code)


def same_text(written: str, code: str) -> bool:
    try:
        return bool(ast.literal_eval(written) == code)
    except (SyntaxError, ValueError):
        return False


def loader(code: str) -> str:
    name = "kernel_" + hashlib.sha256(code.encode()).hexdigest()[:12]
    ldflags = '["-lcublas"]' if "cublas" in code else "[]"
    return LOADER.format(assignment=f"CUDA_SOURCE = {literal(code)}", name=name, ldflags=ldflags)


def with_kernel(program: str, code: str, ending: str) -> str:
    importing = "\n\nfrom torch.utils.cpp_extension import load_inline\n"
    return program.rstrip() + importing + loader(code.replace("\r\n", "\n")) + ending


def forward_candidate(program: str, code: str, field: str) -> str:
    """Return a ModelNew whose forward is the reference's with the kernel as `fn`."""
    return with_kernel(program, code, CALLED_WITH_FN.format(function=function_called(code, "forward", field)))


def backward_candidate(program: str, code: str, field: str) -> str:
    """Return a ModelNew that computes the gradient with the kernel instead of autograd's own formulas."""
    return with_kernel(program, code, BACKWARD.format(function=function_called(code, "backward", field)))


def functional_candidate(functional: str, code: str) -> str:
    """Return forward_candidate for a functional program; for any other form the bare text."""
    if not takes_fn(functional):
        return code
    return forward_candidate(functional, code, "CUDA_Code")


def takes_fn(program: str) -> bool:
    """Return whether the program's Model.forward takes the function to call."""
    model = model_class(program)
    return model is not None and any(
        argument.arg == "fn"
        for method in model.body
        if isinstance(method, ast.FunctionDef) and method.name == "forward"
        for argument in method.args.args + method.args.kwonlyargs
    )


def model_class(program: str) -> ast.ClassDef | None:
    try:
        body = parse(program).body
    except SyntaxError:
        return None
    return next((node for node in body if isinstance(node, ast.ClassDef) and node.name == "Model"), None)


def function_named(body: list[ast.stmt], name: str) -> ast.FunctionDef | None:
    return next((node for node in body if isinstance(node, ast.FunctionDef) and node.name == name), None)
