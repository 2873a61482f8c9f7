import pytest

from datasets_app.curate import fingerprints
from datasets_app.models import KernelFingerprint
from datasets_app.similarity.index import kernel_fingerprint
from tests.factories import make_sample

PLAIN = 'import torch\n\nsource = """\n__global__ void f(float *x) { x[0] = 1; }\n"""\n'


def fingerprint(program: str) -> str:
    return kernel_fingerprint(program).sha256


def test_layout_comments_and_docstrings_change_nothing():
    dressed = (
        '"""A kernel."""\nimport torch  # the library\nsource = """\n// sets one\n__global__ void f( float *x )\n{\n'
        '  x[0] = 1; /* done */\n}\n"""\n'
    )
    assert fingerprint(PLAIN) == fingerprint(dressed)


@pytest.mark.parametrize(
    "other",
    [
        PLAIN.replace("1;", "2;"),
        PLAIN.replace("import torch", "import numpy"),
        PLAIN.replace("\n__global__", "\n#define N 4\n__global__"),
    ],
)
def test_a_difference_in_meaning_is_a_difference(other):
    assert fingerprint(PLAIN) != fingerprint(other)


def test_a_comment_sign_inside_a_string_is_no_comment():
    one, other = 's = """\nprintf("// a");\n"""', 's = """\nprintf("// b");\n"""'
    assert fingerprint(one) != fingerprint(other)


def test_preprocessor_lines_keep_their_ends():
    split, joined = 's = """\n#define A\nint x;\n"""', 's = """\n#define A int x;\n"""'
    assert fingerprint(split) != fingerprint(joined)


def test_text_that_is_not_python_is_compared_as_text():
    assert fingerprint("__global__ void f() {}  \n") == fingerprint("__global__ void f() {}\n\n")


@pytest.mark.django_db
def test_fingerprints_are_made_once_and_in_parts():
    for _ in range(5):
        make_sample()
    assert fingerprints.missing(frozenset({"kernel"})) == 5
    assert fingerprints.fill_kernels(limit=2) == 2
    assert fingerprints.fill_kernels() == 3
    assert fingerprints.fill_kernels() == 0
    assert KernelFingerprint.objects.count() == 5
