"""Tests of the demo pack of a new site: it comes with evidence. test_prepare.py tests when it is added."""

from collections import Counter

import pytest

from concur_site.up.demo import SOURCE, add_demo_pack
from datasets_app.evidence import devices
from datasets_app.models import Sample, Verification
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def new_site(request):
    said = []
    with shared_rows(request, lambda: add_demo_pack(said.append)):
        assert said == ["ingesting the demo pack"]
        yield


def test_a_new_site_has_the_reports_that_were_recorded_on_a_gpu():
    recorded = Verification.objects.finished()
    kernels = Sample.objects.filter(source__name=SOURCE, language__in=["cuda", "triton"])
    assert set(recorded.values_list("sample_id", flat=True)) == set(kernels.values_list("pk", flat=True))
    assert not recorded.exclude(device__startswith="NVIDIA H", worker="").exists()
    assert recorded.filter(outcome="cheated").exists()
    assert kernels.filter(evidence__isnull=False).distinct().count() == kernels.count()


def test_a_recipe_that_names_no_device_works_on_the_one_with_most_of_the_reports():
    reports = Counter(Verification.objects.finished().values_list("device", flat=True))
    assert len(reports) > 1
    assert [device.name for device in devices.ordered()] == [name for name, _ in reports.most_common()]


def test_it_has_a_trajectory_of_five_turns_and_a_kernel_tied_to_its_translation():
    last = Sample.objects.get(external_id="column_variance.cpp_fixed")
    turns = [last]
    while turns[-1].parent:
        turns.append(turns[-1].parent)
    assert [turn.turn for turn in turns] == [5, 4, 3, 2, 1]
    translated = Sample.objects.get(language="hip")
    assert translated.twin.external_id == "row_l2_norm.cuda_warp"
    assert translated.twin.counterpart() == translated


def test_its_cpp_kernels_are_verified_here_after_whatever_people_ask_for():
    waiting = Verification.objects.waiting()
    assert set(waiting.values_list("sample__language", flat=True)) == {"cpp"}
    assert set(waiting.values_list("wanted_device", "priority", "requested_by")) == {("cpu", 6, None)}
