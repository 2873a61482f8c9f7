import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.syntax.kernel import read_kernel
from datasets_app.syntax.kernel.constants import constants_of
from datasets_app.syntax.kernel.embedded import HOLE, Program


def texts(source):
    tree = ast.parse(source)
    return list(Program(source, tree, constants_of(tree)).texts())


def line_of(embedded, word):
    return embedded.line(embedded.text[: embedded.text.index(word)].count("\n"))


def test_every_line_of_the_text_knows_its_line_of_the_program():
    (found,) = texts('a = 1\nsource = """\n#include <a>\nint x;\n"""\n')
    assert found.text == "\n#include <a>\nint x;\n"
    assert line_of(found, "int x") == 4


def test_escapes_are_undone_and_do_not_move_lines():
    (found,) = texts('source = "#include <a>\\nint x;\\n"\n\nsecond = """a \\\nb"""\n')
    assert found.text == "#include <a>\nint x;\n"
    assert line_of(found, "int x") == 1


def test_a_joined_line_of_the_source_is_one_line_of_the_text():
    (found,) = texts('s = """#include <a>\nint \\\nx;\nint y;"""\n')
    assert found.text == "#include <a>\nint x;\nint y;"
    assert line_of(found, "int y") == 4


def test_literals_that_follow_each_other_and_sums_are_one_text():
    (found,) = texts('s = ("#include <a>\\n"\n     "int x;\\n"\n     ) + "int y;"\n')
    assert found.text == "#include <a>\nint x;\nint y;"
    assert [line_of(found, name) for name in ("int x", "int y")] == [2, 3]


def test_an_f_string_is_filled_where_it_is_static():
    (found,) = texts('N = 4 * 8\ns = f"""#define N {N}\nint f() {{ return {other}; }}"""\n')
    assert found.text == f"#define N 32\nint f() {{ return {HOLE}; }}"
    assert found.holes == ("other",)


@pytest.mark.parametrize(
    "expression",
    [
        '"#define N %d" % N',
        '"#define N {n}".format(n=N)',
        '"#define N SIZE".replace("SIZE", "32")',
        'dedent("#define N 32")',
    ],
)
def test_formatting_with_static_values_is_done(expression):
    (found,) = texts(f"N = 32\ns = {expression}\n")
    assert found.text == "#define N 32"


def test_a_name_that_changes_is_no_constant():
    (found,) = texts('N = 4\nN = 8\ns = f"#define N {N}"\n')
    assert found.holes == ("N",)


def test_docstrings_are_no_sources():
    assert texts('def f():\n    """#include <a>"""\n') == []


def test_columns_after_other_scripts_are_counted_in_bytes():
    (found,) = texts('x = "ä…"; s = "#include <a>"\n')
    assert found.text == "#include <a>"


def test_a_program_that_does_not_parse_has_its_cuda_read_all_the_same():
    kernel = read_kernel(
        'def f(:\n    pass\ns = r"""\n#include <a>\n__global__ void k(float* x) { x[0] = 1; }\n"""\n'
    )
    assert [(f.kind, f.name, f.line) for f in kernel.functions] == [("def", "f", 1), ("kernel", "k", 5)]


def test_a_source_that_is_cuda_itself_is_read_as_such():
    kernel = read_kernel("#include <a>\n__global__ void k(float* x) { x[0] = 1; }\n")
    assert [(f.kind, f.name, f.line) for f in kernel.functions] == [("kernel", "k", 2)]


@given(st.text(alphabet=st.sampled_from("abN{}\"'\\\n#%()f \t"), max_size=120))
def test_nothing_that_a_model_writes_breaks_it(text):
    kernel = read_kernel(f'N = 3\ns = f"""#include <a>\n{text}"""\n' + text)
    assert all(line > 0 for line in kernel.problems)
