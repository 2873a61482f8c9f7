"""Tests of findings shown as notes at the kernel lines that they refer to."""

import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Finding, Sample
from eval_app.pages.kernel_notes import notes, notes_of_sample
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from eval_app.templatetags.evidence import line_notes
from tests.factories import make_sample
from tests.verifications import verified
from tests.verify import reports

KERNEL = """import torch
source = r'''
__global__ void softmax_kernel(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x] * scale;
}
'''
class ModelNew(torch.nn.Module):
    def forward(self, x):
        try:
            return fast(x)
        except Exception:
            return torch.softmax(x, -1)
"""
VERIFICATION = "00000000-0000-4000-8000-000000000000"


def lines(detail, log=""):
    found = Finding(code="c", severity="label", detail=detail, verification_id=VERIFICATION)
    return {line: [note.detail for note in at] for line, at in notes([found], KERNEL, log).items()}


@pytest.mark.parametrize(
    ("detail", "expected"),
    [
        ("line 11: except Exception:", [11]),
        ("lines 9 to 12 go on with something else", [9]),
        ("the kernel `softmax_kernel` writes past its buffers", [3]),
        ("a call of softmax_kernel returned early", [3]),
        ("line 0: the program as a whole", []),
        ("line 400 is not there", []),
        ("trial 4 got trial 2's answer", []),
        ("called `x` often", []),
        ("threads_grow is what it does", []),
    ],
)
def test_a_finding_stands_at_the_line_that_it_names(detail, expected):
    assert list(lines(detail)) == expected


def test_a_range_knows_its_end():
    found = Finding(code="c", severity="audit", detail="lines 9-12: fall-back", verification_id=VERIFICATION)
    (note,) = notes([found], KERNEL)[9]
    assert (note.last_line, note.severity) == (12, "audit")


def test_a_compilers_message_stands_at_the_line_that_it_quotes():
    log = """/tmp/build/cuda.cu(3): error: identifier "scale" is undefined
    y[threadIdx.x] = x[threadIdx.x] * scale;
                                      ^
main.cpp:9:3: error: expected ';' before '}' token
    9 | nothing of the kernel's;
"""
    assert lines("", log) == {4: ['identifier "scale" is undefined']}
    assert lines("", f"{log}== again, with all headers\n{log}") == lines("", log)


@pytest.mark.django_db
def test_messages_of_the_compiler_alone_are_not_called_findings():
    caught, broken = make_sample(kernel=KERNEL), make_sample(kernel=f"{KERNEL}\n")
    verified(caught, "cheated").findings.create(code="c", severity="label", detail="line 11: caught")
    log = "cuda.cu(3): error: what is scale\n    y[threadIdx.x] = x[threadIdx.x] * scale;\n"
    verified(broken, "build_error", detail=log)
    samples = Sample.objects.with_body()
    titles = [line_notes(samples.get(pk=one.pk))["title"] for one in (caught, broken)]
    assert titles == ["Findings", "Compiler messages"]


@pytest.mark.django_db
def test_a_samples_notes_are_those_of_its_newest_verdict(django_assert_num_queries):
    sample = make_sample(kernel=KERNEL)
    for detail in ("line 2: old", "line 11: new"):
        (row,) = request_verification([sample], actor=COMMAND)
        said = [{"code": "try_fallback", "severity": "label", "detail": detail}]
        record_report(row.pk, 1, reports.passed(sample.pk, findings=said))
    with django_assert_num_queries(2):  # its history and the findings
        found = notes_of_sample(sample)
    assert {line: note.detail for line, (note,) in found.items()} == {11: "line 11: new"}


@pytest.mark.django_db
def test_a_sample_that_was_never_verified_has_none():
    assert notes_of_sample(make_sample(kernel=KERNEL)) == {}


@pytest.mark.django_db
def test_a_failed_builds_error_names_its_line_of_the_kernel(reader):
    log = "It failed\ncuda.cu(3): error: what is scale\n    y[threadIdx.x] = x[threadIdx.x] * scale;\n"
    sample = make_sample(kernel=KERNEL)
    broken = verified(sample, "build_error", detail=log)
    elsewhere = verified(
        make_sample(), "build_error", detail="torch.h(3): error: not of the kernel\n    here;\n"
    )
    link = f'<a href="{sample.get_absolute_url()}#kernel-L4">Line 4 of the kernel</a>'
    pages = [reader.get(row.get_absolute_url()).content.decode() for row in (broken, elsewhere)]
    assert [link in page for page in pages] == [True, False]
    assert "of the kernel</a>" not in pages[1]
