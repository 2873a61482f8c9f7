import re
import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets_app.models import Sample, SampleBody, Verification
from tests.factories import make_sample, make_task
from tests.verifications import verified

pytestmark = pytest.mark.django_db
KERNEL = '''import torch
from torch.utils.cpp_extension import load_inline

source = """
__global__ void scale_rows(const float* x, float* y, int n) {
  __shared__ float tile[32];
  y[threadIdx.x] = x[threadIdx.x] * 2.0f;  // <b>bold</b>
}
torch::Tensor scale(torch::Tensor x) {
  scale_rows<<<1, 32>>>(x.data_ptr<float>(), x.data_ptr<float>(), 32);
  return x;
}
"""

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x
'''
TRACE = """The plan is simple.

The kernel scale_rows doubles.

Wait, use `scale_rows` once.

```cpp
int n = 3;
```
"""


def page_of(client, sample, **params):
    response = client.get(sample.get_absolute_url(), params)
    assert response.status_code == 200
    return response.content.decode()


def test_the_three_texts_stand_side_by_side_with_permalinks(reader):
    page = page_of(reader, make_sample(kernel=KERNEL, reasoning=TRACE))
    for name in ("program-L1", "trace-L1", "kernel-L5"):
        assert f'id="{name}"' in page
    assert '<span class="t">void</span> <span class="f">scale_rows</span>' in page


def test_a_translated_kernel_and_its_original_link_to_each_other(reader):
    original = make_sample(language="cuda", generator="author")
    translated = make_sample(language="hip", kernel=KERNEL.replace("__global__", "/* hip */ __global__"))
    Sample.objects.filter(pk=translated.pk).update(twin=original)
    assert f'<dt>Translates</dt><dd><a href="{original.get_absolute_url()}">the CUDA kernel' in page_of(
        reader, translated
    )
    page = page_of(reader, original)
    assert f'<dt>Translated by</dt><dd><a href="{translated.get_absolute_url()}">the HIP kernel' in page
    assert f"?against={translated.pk}" in page


def test_the_figures_of_the_source_are_shown_with_their_baselines(reader):
    sample = make_sample()
    claims = [{"quantity": "speedup", "value": 1.53, "over": "torch.compile", "device": "H100"}]
    SampleBody.objects.filter(pk=sample.pk).update(claims=claims, is_program=False)
    page = page_of(reader, sample)
    assert "<dd>Speedup: 1.53x over torch.compile, on H100</dd>" in page
    assert "its source publishes the kernel in a form that is no program" in page


def test_a_built_in_links_to_its_note_and_takes_one_stop_of_the_tab_key(reader):
    page = page_of(reader, make_sample(kernel=KERNEL))
    assert page.count('<a class="v note" href="#note-threadIdx">threadIdx</a>') == 1
    assert '<a class="v note" href="#note-threadIdx" tabindex="-1">threadIdx</a>' in page
    assert '<div id="note-threadIdx">' in page


def test_the_outline_resolves_launches_and_sizes_shared_memory(reader):
    page = page_of(reader, make_sample(kernel=KERNEL))
    assert "float tile[32]: 128 bytes" in page
    assert "grid 1; block 32" in page


def test_claims_of_the_trace_are_checked_and_marked(reader):
    trace = "The kernel uses shared memory.\n\nIt is launched with blocks of 64 threads.\n"
    page = page_of(reader, make_sample(kernel=KERNEL, reasoning=trace))
    assert '<a class="claim is-confirmed" id="claim-at-1" href="#claim-1"' in page
    assert '<a class="claim is-contradicted" id="claim-at-2" href="#claim-2"' in page
    assert "Launched with 32 threads per block." in page


def test_the_kernel_opens_at_its_first_device_function_and_links_to_it(reader):
    page = reader.get(make_sample(kernel=KERNEL).get_absolute_url()).content.decode()
    line = next(at for at, text in enumerate(KERNEL.splitlines(), 1) if "__global__" in text)
    assert f'data-open-at="kernel-L{line}"' in page
    assert f'href="#kernel-L{line}" aria-label="First device function, line {line}"' in page
    plain = reader.get(make_sample().get_absolute_url()).content.decode()
    assert "data-open-at" not in plain
    assert "First device function" not in plain


def test_the_jump_list_names_kernels_launches_and_shared_memory(reader):
    page = page_of(reader, make_sample(kernel=KERNEL))
    for kind in ("kernel", "launch", "shared", "host", "class", "def"):
        assert f"jump-kind is-{kind}" in page


def test_a_name_in_the_trace_links_to_its_line_in_the_kernel(reader):
    page = page_of(reader, make_sample(kernel=KERNEL, reasoning=TRACE))
    assert '<a class="to-line" href="#kernel-L5">scale_rows</a>' in page
    assert '<a class="to-line" href="#kernel-L5"><code>scale_rows</code></a>' in page


def test_the_segments_of_the_trace_are_named(reader):
    page = page_of(reader, make_sample(kernel=KERNEL, reasoning=TRACE))
    for kind in ("plan", "attempt", "self-correction", "code"):
        assert f'class="segment is-{kind}"' in page


def test_a_sample_without_a_trace_says_so(reader):
    assert "This sample has no trace" in page_of(reader, make_sample(reasoning=""))


def test_hostile_text_is_shown_and_does_nothing(reader):
    hostile = "<script>alert(1)</script> \x1b[31mred \u202eabc\u202c </pre></span> zero\u200bwidth"
    sample = make_sample(
        make_task(f"x = 1  # {hostile}"),
        kernel=KERNEL + f'\n"""{hostile}"""\n',
        reasoning=f"Wait, {hostile}\n\n{hostile}",
    )
    page = page_of(reader, sample)
    assert "<script>alert" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert page.count('title="U+202E right-to-left override">RLO</span>') >= 4
    assert page.count(">ESC</span>") >= 4


def test_next_and_previous_follow_the_list_one_came_from(reader):
    samples = [make_sample(claimed_speedup=number + 1.0) for number in range(3)]
    page = page_of(reader, samples[1], **{"in": "sort=claimed"})
    assert f'rel="prev" data-key="p" href="/samples/{samples[0].pk}/?in=sort%3Dclaimed"' in page
    assert f'rel="next" data-key="n" href="/samples/{samples[2].pk}/?in=sort%3Dclaimed"' in page
    assert 'rel="prev"' not in page_of(reader, samples[0], **{"in": "sort=claimed"})


def test_a_list_that_cannot_be_read_does_not_hide_the_sample(reader):
    assert (
        "rel="
        not in page_of(reader, make_sample(), **{"in": "outcome=nonsense"})
        .split("<footer")[0]
        .split("<main")[1]
    )


@pytest.mark.parametrize("view", ["split", "unified"])
def test_the_difference_to_a_sibling_marks_words(reader, view):
    task = make_task()
    one = make_sample(task, kernel="import torch\nx = load(a)\n")
    two = make_sample(task, kernel="import torch\nx = load(b)\n")
    page = page_of(reader, two, against=str(one.pk), view=view)
    assert "x = load(<mark>a</mark>)" in page
    assert "x = load(<mark>b</mark>)" in page


def test_a_phone_gets_a_difference_in_one_column_unless_it_asks_for_two(reader):
    sample, phone = make_sample(), {"User-Agent": "Mozilla/5.0 (Android 15; Mobile) Mobi"}
    address = f"/samples/{sample.pk}/?against=reference"
    assert "diff is-unified" in reader.get(address, headers=phone).content.decode()
    assert "diff is-unified" not in reader.get(f"{address}&view=split", headers=phone).content.decode()
    assert "diff is-unified" not in reader.get(address).content.decode()


def test_the_difference_to_the_reference_and_to_the_turn_before(reader):
    task = make_task()
    first = make_sample(task)
    second = make_sample(task, parent=first, turn=1)
    assert "Kernel against the reference program" in page_of(reader, second, against="reference")
    assert f"the previous turn: {task.name}" in page_of(reader, second, against="parent")
    assert "Trace against" in page_of(reader, second, against="parent", of="trace")


@pytest.mark.parametrize("against", ["parent", "nonsense", "1b4e28ba-2fa1-5d3e-883f-0016d3cca427"])
def test_a_comparison_with_nothing_is_not_found_and_the_sample_stays(reader, against):
    answer = reader.get(make_sample(kernel=KERNEL).get_absolute_url(), {"against": against})
    page = answer.content.decode()
    assert answer.status_code == 404
    assert "compare with" in page
    assert "scale_rows" in page


def test_one_text_can_be_had_as_it_was_stored(reader):
    sample = make_sample(kernel=KERNEL)
    response = reader.get(f"{sample.get_absolute_url()}text/kernel/")
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.content.decode() == KERNEL
    assert reader.get(f"{sample.get_absolute_url()}text/secrets/").status_code == 404


def test_the_page_costs_the_same_queries_whatever_stands_beside_it(reader):
    task = make_task()
    sample = make_sample(task)
    make_sample(task, parent=sample, turn=0)
    with CaptureQueriesContext(connection) as few:
        page_of(reader, sample, **{"in": ""})
    for number in range(20):
        other = make_sample(task, parent=sample, turn=number + 1)
        Verification.objects.create(
            sample=other, wanted_device="cpu", state="done", outcome="passed", finished_at=timezone.now()
        )
    with CaptureQueriesContext(connection) as many:
        page_of(reader, sample, **{"in": ""})
    assert len(many) == len(few)


def test_a_trace_of_400_kb_is_shown_whole_and_soon(reader):
    trace = "\n\n".join(
        f"Wait, step {number} of `scale_rows` is slow. " + "word " * 60 for number in range(1200)
    )
    sample = make_sample(kernel=KERNEL, reasoning=trace)
    started = time.process_time()
    page = page_of(reader, sample)
    assert time.process_time() - started < 5
    assert 'id="trace-S1200"' in page


@pytest.mark.parametrize(
    ("outcome", "detail", "reason"),
    [
        (
            "wrong_value",
            "40 of 64 elements differ; output [0, 1]: got 2, expected 1\nmore",
            "got 2, expected 1",
        ),
        (
            "build_error",
            'nvcc ended with status 1\ncuda.cu(7): error: identifier "blockid" is undefined\n',
            ">error: identifier",
        ),
        ("build_error", "the machine has no compiler", "the machine has no compiler"),
        ("wrong_structure", "<script>alert(1)</script>", "&lt;script&gt;alert(1)"),
        (
            "runtime_error",
            "the candidate's process exited with status 1 during a call; end of its log: ck (most recent call "
            "last):\n  File kernel.py, line 7\nRuntimeError: no kernel image\n",
            "status 1 during a call: RuntimeError: no kernel image",
        ),
        ("timeout", "", ""),
        ("passed", "all right", ""),
    ],
)
def test_the_head_says_why_it_did_not_pass(reader, outcome, detail, reason):
    sample = make_sample(kernel=KERNEL)
    verified(sample, outcome, detail=detail)
    head = page_of(reader, sample).partition("sample-head")[2].partition("</header>")[0]
    assert ("sample-reason" in head) is bool(reason)
    assert reason in head


def test_a_failure_without_a_detail_is_explained_by_its_gravest_finding(reader):
    sample = make_sample(kernel=KERNEL)
    row = verified(sample, "broken_promise", detail="")
    row.findings.create(code="fast", severity="label", detail="a label says nothing")
    row.findings.create(code="output_reused", severity="reject", detail="its memory is given out twice")
    head = page_of(reader, sample).partition("sample-reason")[2].partition("</p>")[0]
    assert "its memory is given out twice" in head


def test_the_gravest_findings_come_first(reader):
    sample = make_sample(kernel=KERNEL)
    row = verified(sample, "wrong_value")
    for severity in ("label", "reject", "audit"):
        row.findings.create(code=f"a_{severity}", severity=severity)
    head = page_of(reader, sample).partition("findings-line")[2].partition("</ul>")[0]
    assert head.index("a reject") < head.index("a audit") < head.index("a label")


@pytest.mark.parametrize(("reasoning", "folded"), [("", True), ("It fuses both.", False)])
def test_the_pane_of_a_trace_that_is_not_there_is_folded(reader, reasoning, folded):
    page = page_of(reader, make_sample(reasoning=reasoning))
    [box] = re.findall(r'<input class="fold[^>]*id="show-trace"[^>]*>', page)
    assert ("checked" not in box) is folded
