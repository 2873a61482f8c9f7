"""Tests that the index follows the samples, and of the clusters and neighbours derived from it."""

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection

from datasets_app import ingest
from datasets_app.accounts.actor import SITE
from datasets_app.curate.fingerprints import fill_kernels
from datasets_app.ingest.withdraw import withdraw_sample
from datasets_app.maintenance import runs
from datasets_app.models import CodeShape, KernelFingerprint, MaintenanceKind, MaintenanceRun, ShapeBand
from datasets_app.similarity import clusters, index, minhash
from datasets_app.similarity.find import neighbours_of
from tests.factories import acting, make_sample, make_task, make_user
from tests.ingest.conftest import workbench_row

pytestmark = pytest.mark.django_db
BODY = "\n".join(
    f"        {name} = torch.{name}(x, {at})"
    for at, name in enumerate(["exp", "log", "sin", "cos", "tanh"] * 8)
)
KERNEL = (
    f"import torch\n\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n{BODY}\n        return x\n"
)
OTHER = "import triton\n\n@triton.jit\ndef k(a, b):\n" + "\n".join(
    f"    tl.store(a + {n}, b * {n})" for n in range(30)
)


def indexed() -> MaintenanceRun:
    job = runs.run(runs.request(MaintenanceKind.NEIGHBOURS, SITE).pk)
    assert job.state == "done"
    return job


def cluster_of(sample) -> str:
    return KernelFingerprint.objects.get(sample=sample).cluster


@pytest.mark.django_db(transaction=True)
def test_a_kernel_is_compared_with_others_before_the_write_lock_is_taken(monkeypatch):
    in_transaction = []
    find_leader = clusters.find_leader

    def watched(sketch):
        in_transaction.append(connection.in_atomic_block)
        return find_leader(sketch)

    monkeypatch.setattr(clusters, "find_leader", watched)
    for kernel in (KERNEL, OTHER):
        make_sample(kernel=kernel)
    assert indexed().done == 2
    assert in_transaction == [False, False]


def test_kernels_that_differ_in_names_alone_share_a_shape_and_those_nearly_the_same_a_cluster():
    one = make_sample(kernel=KERNEL)
    renamed = make_sample(kernel=KERNEL.replace("x", "values").replace("evaluesp", "exp"))
    near = make_sample(kernel=KERNEL.replace("torch.sin(x, 2)", "torch.sin(x, 99)"))
    other = make_sample(kernel=OTHER)
    assert indexed().done == 4
    assert CodeShape.objects.count() == 3
    assert cluster_of(one) == cluster_of(renamed) == cluster_of(near) != cluster_of(other)
    assert ShapeBand.objects.count() == 3 * 16


def test_the_nearest_come_first_with_their_exact_similarity():
    one = make_sample(kernel=KERNEL)
    near = make_sample(kernel=KERNEL.replace("torch.sin(x, 2)", "torch.sin(x, 99)"))
    dressed = make_sample(kernel=KERNEL.replace("return x", "return x  # done"))
    make_sample(kernel=OTHER)
    indexed()
    rows = neighbours_of(one.pk).rows
    assert [row.sample.pk for row in rows] == [dressed.pk, near.pk]
    assert [row.same_text for row in rows] == [True, False]
    assert rows[0].percent == "100 %"
    assert 0.8 < rows[1].similarity < 1


def test_clusters_are_the_same_whichever_way_the_index_is_cut_into_batches(monkeypatch):
    samples = [make_sample(kernel=KERNEL.replace("0)", f"{number})")) for number in range(6)]
    indexed()
    first = [cluster_of(sample) for sample in samples]
    KernelFingerprint.objects.all().delete()
    CodeShape.objects.update(leader=None)
    CodeShape.objects.all().delete()
    monkeypatch.setattr(index, "BATCH", 2)
    assert indexed().done == 6
    assert [cluster_of(sample) for sample in samples] == first


def test_a_sample_that_waits_says_so_and_is_no_fault(reader):
    sample = make_sample()
    assert not neighbours_of(sample.pk).indexed
    assert "Not indexed yet" in reader.get(f"{sample.get_absolute_url()}?neighbours=show").content.decode()


def test_a_fingerprint_that_a_freeze_made_is_completed():
    make_sample(kernel=KERNEL)
    fill_kernels()
    before = KernelFingerprint.objects.get()
    indexed()
    after = KernelFingerprint.objects.get()
    assert before.shape_id is None
    assert after.shape_id
    assert after.sha256 == before.sha256


def test_an_ingest_asks_for_the_index_once():
    rows = [workbench_row(number) for number in range(3)]
    ingest.ingest_rows(rows, "house")
    ingest.ingest_rows(rows, "house")
    job = MaintenanceRun.objects.get()
    assert (job.kind, job.state) == ("neighbours", "queued")


def test_two_runs_of_a_kind_never_work_at_once():
    make_sample()
    running = runs.request(MaintenanceKind.NEIGHBOURS, SITE)
    MaintenanceRun.objects.filter(pk=running.pk).update(state="running")
    waiting = runs.request(MaintenanceKind.NEIGHBOURS, SITE)
    assert waiting.pk != running.pk
    assert runs.run(waiting.pk) is None
    MaintenanceRun.objects.filter(pk=running.pk).update(state="done")
    assert runs.run(waiting.pk).done == 1


def test_only_an_administrator_may_ask():
    with pytest.raises(PermissionDenied):
        runs.request(MaintenanceKind.TOKENS, acting(make_user("curator")))
    assert runs.request(MaintenanceKind.TOKENS, acting(make_user("administrator"))).created_by


def test_finding_costs_a_fixed_number_of_queries_and_reads_no_program(django_assert_max_num_queries):
    task = make_task()
    samples = [make_sample(task, kernel=KERNEL.replace("0)", f"{number})")) for number in range(12)]
    indexed()
    with django_assert_max_num_queries(7) as asked:
        assert len(neighbours_of(samples[0].pk).rows) == 8
    assert not [query for query in asked.captured_queries if "body" in query["sql"]]


def test_a_cluster_is_a_filter(reader):
    sample = make_sample(kernel=KERNEL)
    make_sample(kernel=OTHER)
    indexed()
    page = reader.get("/browse/", {"cluster": cluster_of(sample)})
    assert [shown.sample.pk for shown in page.context["rows"]] == [sample.pk]


def test_one_more_kernel_among_many_somewhat_alike_is_compared_with_few(monkeypatch):
    """Each leads its own cluster and shares a band with the others: the work per kernel stays the same."""
    monkeypatch.setattr(clusters, "A_BAND", 3)
    monkeypatch.setattr(clusters, "COMPARED", 2)
    monkeypatch.setattr(clusters, "THRESHOLD", 1.1)  # nothing joins
    sketches = [
        clusters.Sketch(f"{n:064}", minhash.pack(range(200)), minhash.pack([7] * 80), tuple(range(16)))
        for n in range(12)
    ]
    for sketch in sketches:
        clusters.store(sketch)
    monkeypatch.setattr(clusters, "THRESHOLD", 0.8)
    assert len(clusters.sharing_most(sketches[0])) == 3
    assert [leader.sha256 for leader in clusters.candidates(sketches[0])] == [f"{n:064}" for n in range(2)]


def test_a_withdrawn_sample_is_nobodys_neighbour():
    samples = [make_sample(kernel=KERNEL) for _ in range(3)]
    indexed()
    withdraw_sample(samples[1], acting(make_user("curator")), "licence unclear")
    assert [row.sample for row in neighbours_of(samples[0].pk).rows] == [samples[2]]


@pytest.mark.parametrize(("others", "more"), [(4, False), (5, True), (6, True)])
def test_more_of_a_kernel_are_announced_where_not_all_are_shown(others, more):
    samples = sorted((make_sample(kernel=KERNEL) for _ in range(others + 1)), key=lambda sample: sample.pk)
    indexed()
    for sample in (samples[0], samples[-1]):
        found = neighbours_of(sample.pk)
        assert (len(found.rows), found.more) == (4, more)
