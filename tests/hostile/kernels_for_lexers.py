"""Kernels that attack the lexers and regular expressions; and Python that contains or replaces C++."""

from tests.hostile.kernels import CUDA, END, LARGE, PYTHON, cuda, in_a_string
from tests.hostile.texts import filled, hostile

# --- Lexers ---


@hostile("kernel")
def one_line() -> str:
    return cuda("a[n]=1;" * 150_000)


@hostile("kernel")
def comment_never_closed() -> str:
    return CUDA + "/* " + filled("/* a ", LARGE)


@hostile("kernel")
def comments_opened_again_and_again() -> str:
    return CUDA + filled("/*/", LARGE)


@hostile("kernel")
def strings_never_closed() -> str:
    return CUDA + filled('"\\', LARGE)


@hostile("kernel")
def raw_strings_never_closed() -> str:
    return CUDA + "".join(f'R"d{i}(' for i in range(200_000))


@hostile("kernel")
def long_identifier() -> str:
    return cuda("int " + "a" * LARGE + ";")


@hostile("kernel")
def underscores_before_a_parenthesis() -> str:
    return cuda("f<" + filled("a, ", LARGE))


@hostile("kernel")
def spaces_after_every_word() -> str:
    return cuda(filled("a" + " " * 500, LARGE))


@hostile("kernel")
def spaces_before_a_function() -> str:
    return cuda(filled("int" + " " * 20_000, LARGE))


@hostile("kernel")
def reinterpret_casts_cut_short() -> str:
    return cuda(filled("reinterpret_cast < const ", LARGE))


@hostile("kernel")
def library_names_with_open_angles() -> str:
    return cuda(filled("cub::A<", LARGE))


@hostile("kernel")
def alignments_cut_short() -> str:
    return cuda(filled("__align__((", LARGE))


@hostile("kernel")
def launch_bounds_cut_short() -> str:
    return CUDA + END + filled("void __launch_bounds__(", LARGE)


@hostile("kernel")
def control_characters() -> str:
    return cuda("// " + filled("\x01\x02\x07\x1b[31m\x7f", 1_500_000))


@hostile("kernel")
def bidirectional_overrides() -> str:
    return cuda(filled("/*\u202e } \u2066if (x)\u2069 \u2066 begin */\n", 1_500_000))


@hostile("kernel")
def zero_width_spaces() -> str:
    return cuda("// " + "\u200b" * 600_000)


@hostile("kernel")
def html_and_scripts() -> str:
    return cuda(filled("</code></pre><script>alert(1)</script><img src=x onerror=alert(1)>&lt;\n", LARGE))


@hostile("kernel")
def python_without_end() -> str:
    return PYTHON + filled("x = 1\n", LARGE)


@hostile("kernel")
def python_strings_with_kernels() -> str:
    return PYTHON + "S = '__global__ void k(float*a){a[0]=1;}'\n" * 20_000


@hostile("kernel")
def python_string_added_to_string() -> str:
    return PYTHON + "S = ''" + "\\\n + '__global__ void k(){}'" * 900 + "\n" + "T = S + S\n" * 100_000


@hostile("kernel")
def python_string_of_deep_code() -> str:
    return in_a_string(CUDA + "a" + "[0]" * 300_000 + ";" + END)


@hostile("kernel")
def python_f_strings() -> str:
    return PYTHON + "S = f'''__global__ {" + "{" * 300_000 + "}" * 300_000 + "}'''\n"


@hostile("kernel")
def python_f_string_holes() -> str:
    return PYTHON + "S = f'''\n__global__ void k(){{}}\n" + "{a+1}" * 40_000 + "'''\n"


@hostile("kernel")
def python_replaced_strings() -> str:
    step = ".replace('a', 'aaaaaaaaaa')"
    return PYTHON + "S = '__global__ void k(){aaaaaaaaaaaaaaaaaaaa}'" + step * 20 + "\n"


@hostile("kernel")
def python_large_powers() -> str:
    return PYTHON + "A = 65536 ** 64\n" + "".join(f"A{i} = A * A\nA = A{i}\n" for i in range(20_000))


@hostile("kernel")
def triton_kernels() -> str:
    return (
        PYTHON
        + "import triton\nimport triton.language as tl\n"
        + "".join(
            f"@triton.jit\ndef t{i}(p, n: tl.constexpr):\n    tl.store(p, tl.load(p))\n" for i in range(8_000)
        )
    )


@hostile("kernel")
def triton_launches() -> str:
    return (
        PYTHON
        + "import triton\n@triton.jit\ndef t(p):\n    pass\n"
        + "t[(1,)](1, BLOCK=2, num_warps=4)\n" * 40_000
    )
