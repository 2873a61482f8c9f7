"""Kernels that attack the syntax trees, the lexers, the outline and the pane. An ingest accepts them all."""

from tests.hostile.texts import hostile

CUDA = "// ModelNew\n#include <torch/extension.h>\n__global__ void k(float* a, int n) {\n"
END = "\n}\n"
PYTHON = """import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x


"""
LARGE = 1_900_000


def cuda(body: str) -> str:
    return CUDA + body + END


def in_a_string(source: str) -> str:
    """Return a Python program that contains C++ in a string."""
    return f"{PYTHON}SOURCE = '''\n#include <torch/extension.h>\n{source}\n'''\n"


# --- Depth ---


@hostile("kernel")
def subscripts_of_subscripts() -> str:
    return cuda("float*a; a" + "[0]" * 300_000 + ";")


@hostile("kernel")
def subscripts_in_subscripts() -> str:
    return cuda("a" + "[a" * 60_000 + "]" * 60_000 + ";")


@hostile("kernel")
def subscripts_of_the_size_that_took_seconds() -> str:
    return cuda("float*a; a" + "[0]" * 16_000 + ";")


@hostile("kernel")
def nested_blocks() -> str:
    return cuda("{int i=i+1;" * 5_500 + "}" * 5_500)


@hostile("kernel")
def nested_blocks_never_closed() -> str:
    return cuda("{int i=i+1;" * 150_000)


@hostile("kernel")
def for_loops_in_for_loops() -> str:
    return cuda("for(;;)" * 100_000 + ";")


@hostile("kernel")
def parentheses() -> str:
    return cuda("n = " + "(" * 300_000 + "1" + ")" * 300_000 + ";")


@hostile("kernel")
def parentheses_never_closed() -> str:
    return cuda("n = " + "(" * 1_000_000)


@hostile("kernel")
def template_angles() -> str:
    return cuda("A" + "<A" * 100_000 + ">" * 100_000 + " x;")


@hostile("kernel")
def template_angles_never_closed() -> str:
    return cuda("x = f" + "<a" * 300_000 + ";")


@hostile("kernel")
def square_brackets_never_closed() -> str:
    return cuda("a" + "[" * 500_000)


@hostile("kernel")
def minus_signs() -> str:
    return cuda("n = " + "-" * 200_000 + "1;")


@hostile("kernel")
def casts() -> str:
    return cuda("n = " + "(int)" * 100_000 + "1;")


@hostile("kernel")
def if_else_chain() -> str:
    return cuda("if(n) n=1; else " * 50_000 + ";")


@hostile("kernel")
def sums() -> str:
    return cuda("n = 1" + " + n" * 400_000 + ";")


@hostile("kernel")
def ternaries() -> str:
    return cuda("n = " + "n ? 1 : " * 100_000 + "0;")


@hostile("kernel")
def lambdas_in_lambdas() -> str:
    return cuda("auto f = " + "[=](int i){ return " * 40_000 + "1;" + "};" * 40_000)


@hostile("kernel")
def namespaces() -> str:
    return CUDA + END + "namespace a{" * 60_000 + "}" * 60_000


# --- Number ---


@hostile("kernel")
def lines() -> str:
    return cuda("\n" * LARGE)


@hostile("kernel")
def statements_of_two_characters() -> str:
    return cuda(";\n" * 900_000)


@hostile("kernel")
def functions() -> str:
    return CUDA + END + "".join(f"__device__ int f{i}(int a){{return a;}}\n" for i in range(20_000))


@hostile("kernel")
def kernels_that_read_by_index() -> str:
    return (
        CUDA
        + END
        + "".join(f"__global__ void g{i}(float*a){{a[threadIdx.x]=a[{i}];}}\n" for i in range(20_000))
    )


@hostile("kernel")
def launches() -> str:
    return cuda("k<<<1,1>>>();\n" * 20_000)


@hostile("kernel")
def shared_arrays() -> str:
    return cuda("".join(f"__shared__ float s{i}[{i}];\n" for i in range(10_000)))


@hostile("kernel")
def one_name_bound_often() -> str:
    return cuda("".join(f"{{ int i = {i}; a[i] = i; i = 2; }}\n" for i in range(20_000)))


@hostile("kernel")
def names_bound_to_each_other() -> str:
    return cuda(
        "int v0 = 1;\n" + "".join(f"int v{i + 1} = v{i} + v{i};\n" for i in range(20_000)) + "a[v20000] = 1;"
    )


@hostile("kernel")
def defines_of_defines() -> str:
    return "".join(f"#define D{i + 1} D{i} D{i}\n" for i in range(40_000)) + cuda("n = D40000;")


@hostile("kernel")
def preprocessor_conditions() -> str:
    return CUDA + END + "#if A\n" * 100_000


@hostile("kernel")
def backslash_continuations() -> str:
    return CUDA + END + "#define A \\\n" + "  a \\\n" * 300_000


@hostile("kernel")
def inline_ptx() -> str:
    return cuda('asm volatile("mma.sync.aligned.m16n8k16 {%0}, {%1};\\n" :: "r"(n));\n' * 20_000)


@hostile("kernel")
def one_asm_of_many_instructions() -> str:
    return cuda('asm volatile("' + "cp.async.ca.shared.global [%0], [%1], 16; " * 40_000 + '" :: "r"(n));')


@hostile("kernel")
def vector_casts() -> str:
    return cuda("float4 v = *reinterpret_cast<float4*>(a);\n" * 40_000)
