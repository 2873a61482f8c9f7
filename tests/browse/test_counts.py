"""Tests that counts equal those of the rows, whatever was compacted, changed, undone or deleted meanwhile."""

import random

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets_app.browse.list import facets
from datasets_app.browse.query import parse_query
from datasets_app.browse.query import sets as sets_module
from datasets_app.db import facet_index
from datasets_app.db.facet_index import sets
from datasets_app.db.facet_index.reading import COUNTED, KeptCounts
from datasets_app.models import Finding, Operator, Sample, SampleBody, Verification
from tests.factories import make_sample, make_source, make_task

pytestmark = pytest.mark.django_db
NOW = timezone.now()
QUERIES = [
    "",
    "outcome:passed",
    "outcome:failed language:cuda",
    "outcome:none",
    "verdict:accept,none",
    "review:unreviewed",
    "review:open",
    "speedup:>1.5",
    "speedup:>=1.5 trace:<9",
    "claimed:0.5..2",
    "length:under_1k,none",
    "gain:1_1.5",
    "has_trace:no",
    "operator:softmax",
    "finding:uses_cublas",
    "device:H200",
    "suite:none",
    "level:2,none",
    "level:1",
    "source:house generator:none",
    "relu",
    '"coalesced loads" outcome:passed',
    "task:relu_plus",
    "parent:none",
    "stale:no",
    'code:"clamp(min" outcome:passed',
    "icode:TORCH.RELU",
]


def various(count: int) -> list[Sample]:
    """Create samples of every kind, from a seed."""
    some = random.Random(11)
    softmax = Operator.objects.get_or_create(name="softmax")[0]
    made = []
    for number in range(count):
        task = make_task(
            kind=some.choice(["scan", "matmul"]),
            suite=some.choice(["", "Bench"]),
            level=some.choice([None, 1, 2]),
        )
        if some.random() < 0.4:
            task.operators.add(softmax)
        passed, verdict = some.random() < 0.5, some.choice(["", "accept", "fix"])
        sample = make_sample(
            task,
            source=make_source(some.choice(["house", "barn"])),
            reasoning="" if some.random() < 0.2 else None,
            generator=some.choice(["", "a", "b"]),
            language=some.choice(["cuda", "cpp"]),
            claimed_speedup=some.choice([None, 0.5, 2.0, 2.5]),
            verdict=verdict,
            reviewed_at=NOW if verdict else None,
            **verified(some, passed),
        )
        if sample.outcome:
            finding(sample, some.choice(["uses_cublas", "large_speedup"]))
        made.append(sample)
        if number % 3 == 0:
            facet_index.compact(most=some.randint(1, 5))
    return made


def verified(some: random.Random, passed: bool) -> dict:
    outcome = "passed" if passed else some.choice(["", "cheated", "build_error"])
    speedup = some.choice([0.25, 1.0, 1.5, 1.5000001, 7.0]) if passed else None
    device = some.choice(["NVIDIA H200", "NVIDIA L4"]) if outcome else ""
    return {
        "outcome": outcome,
        "measured_speedup": speedup,
        "device": device,
        "verified_at": NOW if outcome else None,
    }


def finding(sample: Sample, code: str) -> None:
    run = Verification.objects.create(
        sample=sample, wanted_device="cuda", state="done", outcome=sample.outcome, finished_at=NOW
    )
    Finding.objects.create(verification=run, code=code, severity="label")


def check_all() -> None:
    """Compare every total, and every value of every facet, with the rows themselves."""
    for query in QUERIES:
        chosen = parse_query(query)
        found = facets.count(chosen)
        assert found.total == chosen.queryset().count(), query
        assert not found.at_least
        few, many = rows_as_read(chosen, sets_module.FEW), rows_as_read(chosen, -1)
        assert few == many == set(chosen.queryset()), query
        for facet in found.facets:
            for value in facet.values:
                rows = chosen.having(facet.name, value.value).queryset().count()
                assert value.count == rows, (query, facet.name, value)


def rows_as_read(chosen, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sets_module, "FEW", few)
        return set(sets_module.Sets(chosen, facet_index.read()).rows())


def test_every_count_agrees_with_the_rows_before_and_after_folding():
    various(30)
    check_all()
    while facet_index.compact():
        pass
    check_all()
    facet_index.rebuild()
    check_all()


def test_counts_follow_changes_deletions_and_texts_that_are_written_anew():
    made = various(12)
    while facet_index.compact():
        pass
    Sample.objects.filter(pk=made[0].pk).update(outcome="timeout", verified_at=NOW, measured_speedup=None)
    made[1].record_verdict(verdict="reject", reviewed_at=NOW, votes=1, agreement=1.0)
    SampleBody.objects.filter(sample=made[2]).update(reasoning="quite other words about relu")
    made[3].task.kind = "loss"
    made[3].task.save()
    made[4].task.operators.clear()
    SampleBody.objects.filter(sample=made[5]).delete()
    Verification.objects.filter(sample=made[5]).delete()
    made[5].delete()
    finding(made[6], "new_code")
    check_all()
    while facet_index.compact():
        pass
    check_all()


def test_what_is_rolled_back_is_not_counted():
    various(4)
    before = facets.count(parse_query("")).total
    with transaction.atomic():
        make_sample()
        while facet_index.compact():
            pass
        assert facets.count(parse_query("")).total == before + 1
        transaction.set_rollback(True)
    assert facets.count(parse_query("")).total == before


def test_rows_beyond_those_that_are_looked_up_are_said_to_be_behind(monkeypatch, reader):
    various(6)
    while facet_index.compact():
        pass
    monkeypatch.setattr("datasets_app.db.facet_index.reading.MOST_LIVE", 2)
    Sample.objects.update(generator="renamed")
    found = facets.count(parse_query(""))
    assert found.total == 6
    assert found.behind == 4
    assert "4 rows changed a moment ago" in reader.get("/browse/").content.decode()


def test_a_part_that_names_too_many_rows_gives_a_lower_bound_and_says_so(monkeypatch, reader):
    for _ in range(5):
        make_sample()
    monkeypatch.setattr("datasets_app.browse.query.sets.HASTY", sets_module.Bounds(3, 9))
    found = facets.count(parse_query("relu"))
    assert found.at_least
    assert 3 <= found.total <= 5
    assert "more than" in reader.get("/browse/?q=relu").content.decode()


def test_what_waits_is_folded_round_by_round_down_to_what_readers_look_up(monkeypatch):
    various(7)
    monkeypatch.setattr("datasets_app.db.facet_index.compaction.COMPACT_FROM", 5)
    Sample.objects.update(generator="renamed")
    assert facet_index.compact_backlog() >= 7
    assert facet_index.compact_backlog() == 0
    found = facets.count(parse_query("generator:renamed"))
    assert found.total == 7


def test_counting_reads_no_sample_when_nothing_changed():
    various(5)
    while facet_index.compact():
        pass
    facets.count(parse_query(""))
    with CaptureQueriesContext(connection) as captured:
        facets.count(parse_query("outcome:passed speedup:>1 operator:softmax"))
    assert len(captured) == 1
    assert not any("datasets_app_sample" in one["sql"] for one in captured)


def test_counts_are_kept_until_a_sample_changes(monkeypatch):
    samples = various(5)
    counted = []
    count = facet_index.Reading.counted
    monkeypatch.setattr(
        facet_index.Reading, "counted", lambda *given: counted.append(given[1]) or count(*given)
    )
    first = facets.count(parse_query(""))
    assert counted
    counted.clear()
    assert facets.count(parse_query("")) == first
    assert not counted
    Sample.objects.filter(pk=samples[0].pk).update(generator="renamed")
    by_generator = next(facet for facet in facets.count(parse_query("")).facets if facet.name == "generator")
    assert ("renamed", 1) in [(value.value, value.count) for value in by_generator.values]


def test_a_reading_keeps_the_counts_of_few_selections():
    kept = KeptCounts()
    for bits in range(3 * COUNTED):
        kept.among({0: 1})["facet"] = {"value": 1}
        kept.among({0: bits})
    assert len(kept.by_selection) == COUNTED
    assert kept.among({0: 1}) == {"facet": {"value": 1}}


def test_a_facet_of_ones_own_is_one_registration():
    from datasets_app.db import triggers
    from datasets_app.db.facet_index import facets as held

    make_sample(external_id="x-1")
    held.register(facet_index.SingleValueFacet("external", "s.external_id"))
    try:
        triggers.after_migrate("default")
        reading = facet_index.read()
        assert reading.counts("external", reading.everything) == {"x-1": 1}
    finally:
        held.forget("external")
        triggers.after_migrate("default")


def test_amounts_compare_as_floats_do():
    some = random.Random(5)
    values = [
        0.0,
        1.0,
        1.5,
        1.5000000000000002,
        4000.0,
        1e300,
        *(some.lognormvariate(0, 2) for _ in range(60)),
    ]
    build = sets.Builder()
    for at, value in enumerate(values):
        build.add_number("x", value, at)
    cells = build.block().values_of("x")
    for bound in [*values[:20], 0.3, 2.0]:
        for strict in (False, True):
            low = {at for at, value in enumerate(values) if (value > bound if strict else value >= bound)}
            high = {at for at, value in enumerate(values) if (value < bound if strict else value <= bound)}
            assert set(sets.places_of(sets.at_least(cells, bound, strict=strict))) == low
            assert set(sets.places_of(sets.at_most(cells, bound, strict=strict))) == high
