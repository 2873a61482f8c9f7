"""Tests that indexing the longest kernels takes little memory, and none in the process with the index."""

import pytest

from datasets_app.bounded import analysed, run
from datasets_app.bounded.cache import Results
from datasets_app.bounded.pool import Pool
from datasets_app.similarity import index
from datasets_app.similarity.fingerprints import fallback_fingerprint
from tests.bounded import spinning
from tests.hostile import kernels
from tests.similarity.peak_memory import peak_bytes_after_fingerprint

GENEROUS_SECONDS = 60.0
MOST_BYTES = 300 * 2**20


@pytest.fixture(autouse=True)
def in_children(settings, monkeypatch):
    settings.ANALYSIS_IN_CHILDREN = True
    monkeypatch.setattr(run, "pool", Pool())
    monkeypatch.setattr(run, "results", Results())
    yield
    run.pool.stop()


@pytest.mark.parametrize("make", [kernels.statements_of_two_characters, kernels.sums])
def test_a_kernel_of_two_megabytes_takes_little_memory(make):
    assert analysed(peak_bytes_after_fingerprint, make(), seconds=GENEROUS_SECONDS) < MOST_BYTES


def test_a_kernel_whose_fingerprint_fails_in_its_child_is_indexed_by_its_words(monkeypatch):
    monkeypatch.setattr(index, "fingerprint_of", spinning.broken)
    kernel = kernels.cuda("a[0] = 1;")
    assert index.kernel_fingerprint(kernel) == fallback_fingerprint(kernel)
