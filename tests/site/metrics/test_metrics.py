"""Tests of /metrics: who may read it, what it says, and that nothing that a stranger writes becomes a label."""

import re
from ipaddress import ip_network

import pytest
from django.conf import settings
from prometheus_client.parser import text_string_to_metric_families

from concur_site.health import report
from concur_site.metrics import collector
from concur_site.metrics.middleware import route_of
from datasets_app.accounts.actor import COMMAND
from datasets_app.accounts.api_tokens import ScopeError, make_token
from datasets_app.counters import instruments
from eval_app.models import Alert
from tests.factories import make_user
from tests.operations import site

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def fresh(monkeypatch, settings, tmp_path):
    """Discard answers cached and routes counted by an earlier test, and find no broker."""
    monkeypatch.setattr(instruments, "_pairs", set())
    settings.REDIS_URL = f"unix://{tmp_path}/none.sock"
    monkeypatch.setattr(report, "probes", report.fresh_probes())
    monkeypatch.setattr(report, "DEADLINE_SECONDS", 20.0)
    monkeypatch.setattr(report, "KEPT_SECONDS", 0.0)
    monkeypatch.setattr(collector, "DEADLINE_SECONDS", 30.0)
    monkeypatch.setattr(collector, "probe", collector.Probe("metrics", collector.everything))


def token(role="administrator", scope="metrics"):
    return make_token(make_user(role), [scope], actor=COMMAND)[1]


def scrape(client):
    """Return {name: {labels: value}} of a scrape by a token."""
    answer = client.get("/metrics", headers={"Authorization": f"Bearer {token()}"})
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    values = {}
    for family in text_string_to_metric_families(answer.content.decode()):
        for sample in family.samples:
            values.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return values


def test_it_is_for_administrators_and_their_tokens_of_its_scope(client, curator, administrator):
    for scope, status in {"metrics": 200, "read": 403, "annotate": 403, "admin": 200}.items():
        headers = {"Authorization": f"Bearer {token(scope=scope)}"}
        assert client.get("/metrics", headers=headers).status_code == status, scope
    assert curator.get("/metrics").status_code == 403
    assert administrator.get("/metrics").status_code == 200
    with pytest.raises(ScopeError):
        token("curator")


def test_a_stranger_is_refused_even_on_this_machine(client):
    assert client.get("/metrics", REMOTE_ADDR="127.0.0.1").status_code == 401
    assert client.get("/metrics", headers={"Authorization": "Bearer cw_wrong"}).status_code == 401


@pytest.mark.parametrize(
    ("peer", "forwarded", "status"),
    [
        ("10.20.0.9", "", 200),
        ("10.21.0.9", "", 401),
        ("10.21.0.9", "10.20.0.9", 401),  # whoever is no trusted proxy may write what they like
        ("10.0.0.2", "10.20.0.9", 200),
        ("10.0.0.2", "203.0.113.7", 401),
        ("10.0.0.2", "10.20.0.9, 203.0.113.7", 401),
    ],
)
def test_a_network_may_be_allowed(client, settings, peer, forwarded, status):
    settings.METRICS_NETWORKS = [ip_network("10.20.0.0/16")]
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.2")]
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    assert client.get("/metrics", REMOTE_ADDR=peer, headers=headers).status_code == status


def test_the_state_of_the_site_is_in_it(client):
    site.host()
    site.waiting("cuda", minutes=10)
    Alert.objects.create(rule="old_job", raised_at=site.ago(), seen_at=site.ago())
    values = scrape(client)
    assert values["concur_queue_depth"]["cuda", "first"] == 1
    assert values["concur_queue_depth"]["cpu", "later"] == 0
    assert 595 < values["concur_queue_oldest_seconds"]["cuda", "first"] < 700
    assert values["concur_workers"]["gpu-7", "ready"] == 1
    assert values["concur_devices"]["gpu-7", "cpu", "free"] == 1
    assert values["concur_lanes"]["gpu-7",] == 4
    assert values["concur_host_silent_seconds"]["gpu-7",] < 100
    assert abs(values["concur_host_clock_skew_seconds"]["gpu-7",]) < 1
    assert values["concur_jobs"]["ingest", "queued"] == 0
    assert values["concur_disk_free_bytes"]["data",] > 0
    assert values["concur_health"]["database",] == 2
    assert values["concur_health"]["broker",] == 1
    assert values["concur_alerts"]["old_job",] == 1
    assert set(values["concur_scrape_complete"].values()) == {1}


def test_pages_are_counted_by_route_and_status_and_never_by_address(client, reader):
    before = scrape(client)["concur_page_seconds_count"]
    client.get("/browse/?q=secret-words")
    client.get("/no/such/page-secret-words/")
    client.get("/healthz")
    after = scrape(client)["concur_page_seconds_count"]
    grown = {labels for labels, count in after.items() if count > before.get(labels, 0)}
    assert {("browse", "302"), ("none", "404"), ("health", "200"), ("metrics", "200")} <= grown
    assert not [labels for labels in after if "secret-words" in "".join(labels)]


def test_finished_verifications_and_their_stages_are_counted(client):
    instruments.finished_verification("cpu", "passed", {"build": 3.0, "made up": 1.0, "total": 4.0})
    values = scrape(client)
    assert values["concur_finished_verifications_total"]["cpu", "passed"] >= 1
    assert values["concur_stage_seconds_sum"]["cpu", "build"] >= 3
    assert ("cpu", "made up") not in values["concur_stage_seconds_count"]


def test_a_part_that_breaks_is_named_and_the_others_are_there(client, monkeypatch):
    def broken():
        raise OSError("postgres://site:secret@db.example/site")

    monkeypatch.setitem(collector.PARTS, "jobs", broken)
    values = scrape(client)
    assert values["concur_scrape_complete"]["jobs",] == 0
    assert "concur_jobs" not in values
    assert "concur_queue_depth" in values


def test_a_database_that_hangs_costs_the_deadline_and_no_more(client, monkeypatch):
    monkeypatch.setattr(collector, "DEADLINE_SECONDS", 0.0)
    values = scrape(client)
    assert values == {"concur_scrape_complete": {("all",): 0}}


def test_the_number_of_queries_of_a_scrape_is_bounded(django_assert_max_num_queries):
    for name in ("one", "two", "three"):
        site.host(name)
        site.waiting("cuda")
    with django_assert_max_num_queries(20):
        for name, read in collector.PARTS.items():
            if name != "health":  # in threads of its own
                list(read())


def test_every_metric_is_in_the_document(client):
    document = (settings.BASE_DIR / "docs" / "monitoring.md").read_text()
    named = set(re.findall(r"`(concur_\w+)`", document))
    assert {re.sub(r"_(total|bucket|sum|count|created)$", "", name) for name in scrape(client)} <= named


def test_a_route_is_a_name(rf):
    assert route_of(rf.get("/static/css/base.css")) == "static"
    assert route_of(rf.get("/anything")) == "none"
