import re

import pytest

from datasets_app.syntax.diff_functions import compare_functions
from datasets_app.syntax.operator_map import operator_map
from tests.factories import make_sample, make_task

FIRST = "def alpha():\n    a = 1\n    return a\n\n"
SECOND = "def beta():\n    b = 2\n    return b\n\n"
THIRD = "def gamma():\n    c = 3\n    return c\n"
REFERENCE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(torch.relu(x), dim=-1).cumprod(0)


def get_inputs():
    return [torch.randn(4).abs()]
"""
KERNEL = '''source = r"""
#include <a.h>
// the softmax of a row
__global__ void relu_kernel(const float* x, float* y) { y[0] = fmaxf(x[0], 0.0f); }
"""
'''


def test_a_function_that_moved_is_held_against_itself():
    found = compare_functions(FIRST + SECOND + THIRD, SECOND + THIRD + "\n" + FIRST.replace("1", "7"))
    (moved,) = found.moved
    assert (moved.name, moved.left, moved.right) == ("alpha", 1, 9)
    assert (moved.diff.added, moved.diff.removed) == (1, 1)
    changed = [row for hunk in moved.diff.hunks for row in hunk.rows if row.kind == "changed"]
    assert [(row.left, row.right) for row in changed] == [(2, 10)]


def test_functions_that_kept_their_order_are_compared_in_place():
    found = compare_functions(FIRST + SECOND, FIRST + THIRD + "\n" + SECOND)
    assert found.moved == []
    assert found.rest.removed == 0


def test_two_equal_programs_are_the_same():
    assert compare_functions(FIRST + SECOND, FIRST + SECOND).same


def test_each_operator_of_the_reference_is_told_by_a_sign_or_not_at_all():
    rows = {row.operator: row for row in operator_map(REFERENCE, KERNEL)}
    assert {sign.how for sign in rows["relu"].signs} == {
        "an expression that computes it",
        "a function named after it that nothing calls",
    }
    assert [(sign.how, sign.lines) for sign in rows["softmax"].signs] == [("a comment that names it", (3,))]
    assert rows["cumprod"].signs == ()
    assert "abs" not in rows
    assert rows["relu"].lines == (7,)


def test_an_operator_that_is_still_called_through_torch_is_said_to_be():
    (row,) = operator_map(
        "import torch\nclass Model:\n    def forward(self, x):\n        return torch.relu(x)\n",
        "import torch\nclass ModelNew:\n    def forward(self, x):\n        return torch.relu(x)\n",
    )
    assert row.signs[0].how == "still called through torch"


@pytest.mark.django_db
def test_the_map_is_a_page_that_says_what_it_cannot_tell(reader):
    sample = make_sample(make_task(REFERENCE), kernel=KERNEL)
    page = reader.get(sample.get_absolute_url(), {"against": "operators"}).content.decode()
    # A comment names the softmax, which is no evidence of where it is computed.
    assert "1 of 3 located" in page
    assert "Cannot be told" in page


@pytest.mark.django_db
def test_the_map_of_a_text_that_is_no_program_says_so(reader):
    task = make_task(REFERENCE)
    for kernel, said in (("None", True), (KERNEL, False)):
        sample = make_sample(task, kernel=kernel)
        page = reader.get(sample.get_absolute_url(), {"against": "operators"}).content.decode()
        assert ("defines no class and no function" in page) == said


@pytest.mark.django_db
def test_the_page_marks_the_words_that_differ_on_both_sides(reader):
    one = make_sample(kernel="constexpr int kThreads = 128;\n")
    other = make_sample(one.task, kernel="constexpr int kThreads = 256;\n")
    page = reader.get(f"{one.get_absolute_url()}?against={other.pk}").content.decode()
    marked = re.findall(r"<mark>(?:<[^>]+>)*([^<]+)", page.partition("diff-frame")[2])
    assert marked == ["256", "128"]


@pytest.mark.django_db
def test_a_pasted_program_is_compared_and_not_stored(reader):
    sample = make_sample(kernel="x = 1\ny = 2\n")
    address = f"{sample.get_absolute_url()}against-pasted/"
    page = reader.post(address, {"pasted": "x = 1\r\ny = 3\r\n<b>", "of": "kernel"}).content.decode()
    assert "Kernel against a pasted text" in page
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert reader.get(address).url == sample.get_absolute_url()


@pytest.mark.django_db
def test_a_pasted_text_that_is_too_long_is_refused_with_its_limit(reader):
    sample = make_sample()
    answer = reader.post(
        f"{sample.get_absolute_url()}against-pasted/", {"pasted": "x" * 1_000_001}, follow=True
    )
    assert "longer than 1,000,000 characters" in answer.content.decode()
