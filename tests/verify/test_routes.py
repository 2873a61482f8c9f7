"""Tests of routes: what a verification requires of a host, which hosts get it, and why a row waits that none can
take."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import Verification
from eval_app import tasks
from eval_app.broker.messages import envelope
from eval_app.broker.messages.keys import notice_key
from eval_app.queue import routes
from eval_app.request.verify import VerifyError, request_verification
from eval_app.workers.fleet import Fleet
from eval_app.workers.requirement import Requirement, RequirementError
from tests.factories import acting, make_sample, make_user
from tests.verify import reports
from tests.verify.host_hand import HostHand, now

H200 = {
    "kind": "cuda",
    "name": "NVIDIA H200",
    "compute_capability": "9.0",
    "memory_bytes": str(143_771 * 2**20),
    "arch": "x86_64",
}
L40 = {**H200, "name": "NVIDIA L40S", "compute_capability": "8.9", "memory_bytes": str(46_068 * 2**20)}
GRACE = {**H200, "name": "NVIDIA GH200 480GB", "arch": "aarch64"}


# --- The words ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "canonical"),
    [
        ("", ""),
        ("memory:80", "memory:80"),
        ("capability:9.0  memory:>=80", "memory:80 capability:9.0"),
        ('device:"NVIDIA H200" arch:amd64', "device:'NVIDIA H200' arch:x86_64"),
        ("arch:arm64 device:h200 capability:>=8.0", "device:h200 capability:>=8.0 arch:aarch64"),
    ],
)
def test_the_same_requirement_is_always_the_same_text(typed, canonical):
    assert Requirement.read(typed).text == canonical
    assert Requirement.read(canonical).text == canonical


@pytest.mark.parametrize(
    "typed",
    [
        *("80", "memory:", "memory:0", "memory:-1", "memory:8e3", "memory:9999999", "memory:8 memory:9"),
        *("memory:0000809999999", pytest.param(f"memory:80{' ' * 2000}", id="long")),
        *("capability:9", "capability:<9.0", "arch:mips", "colour:red"),
        *('device:"H200', "device:a;b", "device:" + "x" * 90),
    ],
)
def test_what_is_no_requirement_is_refused_with_the_words_there_are(typed):
    with pytest.raises(RequirementError):
        Requirement.read(typed)


@pytest.mark.parametrize(
    ("typed", "devices", "met"),
    [
        ("memory:141", [H200], True),
        ("memory:80", [L40], False),
        ("memory:45", [H200, L40], True),
        ("memory:80", [H200, L40], False),
        ("memory:1", [], False),
        ("capability:9.0", [L40], False),
        ("capability:8.9", [H200], False),
        ("capability:>=8.9", [H200], True),
        ("capability:>=10.0", [H200], False),
        ("device:h200", [H200], True),
        ("device:H20", [H200], False),
        ("device:'H200 NVIDIA'", [H200], True),
        ("arch:aarch64", [GRACE], True),
        ("arch:aarch64", [H200], False),
        ("memory:80", [{"kind": "cuda", "name": "of an earlier version"}], False),
        ("memory:80", [{**H200, "memory_bytes": "much"}], False),
    ],
)
def test_a_worker_meets_a_requirement_if_each_of_its_devices_does(typed, devices, met):
    assert Requirement.read(typed).met_by(devices) is met


# --- Hosts ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def small(broker, db):
    hand = HostHand("small", ("cuda",))
    hand.announce(devices=[L40], queues=["cuda"])
    return hand


@pytest.fixture
def large(broker, db):
    return HostHand("large", ("cuda",))


def served(broker, hand):
    """Return the queues that the site's answer names to a host after its next announcement."""
    hand.announce(devices=[H200 if hand.label == "large" else L40], queues=["cuda"])
    return envelope.unpack(broker.get(notice_key(hand.label, hand.label)), hand.key.site_public)[1]["queues"]


def asked(requires, **how):
    (row,) = request_verification([make_sample()], device="cuda", requires=requires, actor=COMMAND, **how)
    return row


def test_only_the_host_that_meets_a_requirement_is_named_its_queue(broker, small, large):
    route = routes.route_of(asked("memory:80"))
    assert served(broker, small) == ["verify.cuda"]
    assert served(broker, large) == ["verify.cuda", route.queue]


def test_a_row_that_no_host_can_take_stays_a_row_and_says_what_nobody_has(broker, small, large):
    row = asked("capability:9.0 memory:80")
    tasks.fill_queues()
    assert now(row).sent_at is None
    waits = Fleet.read().waits_for("cuda", row.requirement)
    assert waits == (
        "waits for a CUDA worker with at least 80 GiB of memory of compute capability 9.0; "
        "no worker has at least 80 GiB of memory and no worker is of compute capability 9.0"
    )
    served(broker, large)
    tasks.fill_queues()
    assert broker.llen(routes.route_of(row).messages(0)) == 1
    assert broker.llen("verify.cuda") == 0
    assert Fleet.read().waits_for("cuda", row.requirement) == ""


def test_a_requirement_met_only_in_parts_by_different_hosts_is_explained(broker, small, large):
    served(broker, large)
    asked("device:L40S memory:80")
    assert Fleet.read().waits_for("cuda", "device:L40S memory:80").endswith("no worker has all of it")


def test_the_page_and_rest_say_why_it_waits(broker, small, client):
    client.force_login(make_user("reader"))
    row = asked("arch:aarch64")
    page = client.get(row.get_absolute_url()).content.decode()
    assert "It waits for a CUDA worker on aarch64; no worker runs on aarch64" in page
    assert "arch:aarch64" in client.get(reverse("verify")).content.decode()
    assert client.get(f"/api/v1/verifications/{row.pk}/").json()["requirement"] == "arch:aarch64"


def test_a_report_from_a_device_that_lacks_it_is_no_result(broker, large):
    row = asked("device:H200")
    served(broker, large)
    report = reports.passed(row.sample_id, device={"kind": "cuda", "name": "NVIDIA L40S"})
    large.report(row, report)
    assert now(row).outcome == "infra_error"
    assert "device:H200 was required" in row.detail


def test_the_same_sample_may_wait_for_two_devices_and_for_each_once(broker, small):
    sample = make_sample()
    texts = ("device:H200", "device:L40S", "device:L40S")
    for text in texts:
        request_verification([sample], device="cuda", requires=text, actor=COMMAND)
    assert sorted(Verification.objects.values_list("requirement", flat=True)) == [
        "device:H200",
        "device:L40S",
    ]


def test_more_different_requirements_than_there_are_queues_for_are_refused(broker, small, monkeypatch):
    monkeypatch.setattr(routes, "MOST_REQUIREMENTS", 2)
    monkeypatch.setattr("eval_app.request.verify.MOST_REQUIREMENTS", 2)
    asked("memory:1")
    asked("memory:2")
    asked("memory:2")
    with pytest.raises(VerifyError, match="2 different requirements wait already"):
        asked("memory:3")


def test_one_person_leaves_room_for_the_requirements_of_others(broker, small, monkeypatch):
    monkeypatch.setattr("eval_app.request.verify.MOST_REQUIREMENTS_OF_ONE", 2)
    many, other = (acting(make_user("annotator")) for _ in range(2))
    sample = make_sample()

    def ask(text, actor):
        request_verification([sample], device="cuda", requires=text, actor=actor)

    for text in ("memory:1", "memory:2", "memory:2"):
        ask(text, many)
    with pytest.raises(VerifyError, match="2 different requirements of yours wait already"):
        ask("memory:3", many)
    ask("memory:3", other)
    ask("memory:3", many)  # has a queue already
    ask("memory:4", COMMAND)


def test_rest_page_and_command_take_the_same_words(broker, small, client):
    client.force_login(make_user("annotator"))
    sample = make_sample(language="cuda")
    wish = {"sample": str(sample.pk), "requires": "memory:>=80"}
    rest = {"path": "/api/v1/verifications/", "content_type": "application/json"}
    assert client.post(**rest, data=wish).json()["requirement"] == "memory:80"
    refused = client.post(**rest, data={**wish, "requires": "memory:many"})
    assert (refused.status_code, "whole number of GiB" in str(refused.json())) == (400, True)
    client.post(reverse("verify-ask"), {**wish, "requires": "arch:arm64"})
    call_command("verify", sample=[str(sample.pk)], requires="capability:9.0")
    found = set(Verification.objects.values_list("requirement", flat=True))
    assert found == {"memory:80", "arch:aarch64", "capability:9.0"}


def test_a_query_is_counted_and_requested_with_its_requirement(broker, small, client):
    client.force_login(make_user("annotator"))
    make_sample(language="cuda")
    form = {"query": "language:cuda", "requires": "memory:80"}
    page = client.get(reverse("verify-new"), form).content.decode()
    assert "required: memory:80" in page
    assert "no worker has at least 80 GiB of memory" in page
    client.post(reverse("verify-ask"), {**form, "count": "1"})
    assert Verification.objects.get().requirement == "memory:80"
