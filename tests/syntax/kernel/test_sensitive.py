"""Tests of the CUDA-sensitive regions of a kernel: found by syntax, drawn in its pane."""

from itertools import pairwise

import pytest

from datasets_app.review import notes
from datasets_app.syntax.kernel.sensitive import EXTRA_WEIGHTS, Region, Sensitive, regions, weight
from tests.factories import acting, make_sample, make_user

CUDA = '''import torch
from torch.utils.cpp_extension import load_inline

source = """
// ä: two bytes before everything else
__global__ void __launch_bounds__(256) scale(const float* __restrict__ x, float* y, int n) {
  __shared__ float tile[256];
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  int other = n * 2 + 1;
  tile[threadIdx.x] = x[at];
  __syncthreads();
  atomicAdd(&y[at], tile[0]);
}
void run(torch::Tensor x) { scale<<<x.numel() / 256, 256>>>(x.data_ptr<float>(), x.data_ptr<float>(), 1); }
"""

class ModelNew(torch.nn.Module):
    pass
'''


def found(kind: Sensitive, source: str = CUDA) -> list[str]:
    return [source[one.start : one.end] for one in regions(source) if one.kind is kind]


def test_each_kind_is_found_where_it_is():
    assert found(Sensitive.LAUNCH) == ["<<<x.numel() / 256, 256>>>"]
    assert found(Sensitive.SHARED_MEMORY) == ["__shared__ float tile[256];"]
    assert found(Sensitive.INDEXING) == ["blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x"]
    assert found(Sensitive.SYNCHRONISATION) == ["__syncthreads()", "atomicAdd(&y[at], tile[0])"]
    assert found(Sensitive.QUALIFIER) == ["__global__", "__launch_bounds__(256)", "__restrict__"]


def test_regions_are_in_order_and_apart():
    spans = [(one.start, one.end) for one in regions(CUDA)]
    assert spans == sorted(spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


def test_a_whole_file_of_hip_has_regions_and_python_none():
    hip = "#include <hip/hip_runtime.h>\n__global__ void f(float* x) { x[threadIdx.x] = 0; }\n"
    assert found(Sensitive.QUALIFIER, hip) == ["__global__"]
    assert found(Sensitive.INDEXING, hip) == ["threadIdx.x"]
    assert regions("import torch\nx = threadIdx = 1\n") == ()


def test_the_weight_is_the_mean_over_the_characters():
    one = [Region(0, 10, Sensitive.LAUNCH), Region(20, 30, Sensitive.QUALIFIER)]
    assert (
        weight(one, 100)
        == 1 + (10 * EXTRA_WEIGHTS[Sensitive.LAUNCH] + 10 * EXTRA_WEIGHTS[Sensitive.QUALIFIER]) / 100
    )
    assert weight([], 0) == 1.0


@pytest.mark.django_db
def test_the_pane_marks_the_regions_on_request_and_says_what_they_are(reader):
    sample = make_sample(kernel=CUDA, language="cuda")
    plain = reader.get(sample.get_absolute_url()).content.decode()
    assert 'class="region' not in plain
    assert "?regions=show" in plain
    page = reader.get(sample.get_absolute_url(), {"regions": "show"}).content.decode()
    assert '<mark class="region is-launch" title="launch">' in page
    assert '<mark class="region is-shared-memory">shared memory</mark> 1, weight 2.0' in page
    assert "Mean weight of the kernel: 1." in page


@pytest.mark.django_db
def test_regions_that_notes_mark_take_the_place_of_the_syntaxes(reader):
    sample = make_sample(kernel=CUDA, language="cuda")
    ada = acting(make_user("annotator"))
    at = CUDA.index("int other")
    place = notes.Place("kernel", at, at + 9)
    doubt = notes.create_note(sample, ada, [notes.Place("kernel", 0, 6)], "race", "Not about a region.")
    region = notes.create_note(sample, ada, [place, notes.Place("trace", 0, 1)], "cuda_sensitive")
    page = reader.get(sample.get_absolute_url(), {"regions": "show"}).content.decode()
    assert '<mark class="region is-marked-by-a-note">marked by a note</mark> 1, weight 2.0' in page
    assert f"Mean weight of the kernel: {1 + 9 / len(CUDA):.4f}" in page
    assert '<mark class="region is-launch"' not in page
    for note in (region, doubt):
        notes.withdraw_note(note, ada, "by mistake")
    page = reader.get(sample.get_absolute_url(), {"regions": "show"}).content.decode()
    assert '<mark class="region is-launch" title="launch">' in page
