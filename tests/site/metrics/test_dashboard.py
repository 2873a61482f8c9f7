"""Tests that the dashboard, the alert rules and the scrape job name only what the site has, and all of it."""

import json
import re
from pathlib import Path

import pytest
import yaml

from concur_site.metrics import collector
from datasets_app.counters import instruments

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana" / "concur.json").read_text())
RULES = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())
SCRAPE = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())


def expressions():
    shown = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    return shown, [rule["expr"] for group in RULES["groups"] for rule in group["rules"]]


def metrics():
    """Return the labels of every metric by its name in queries."""
    found = {}
    for family in [*collector.everything().numbers["families"], *instruments.REGISTRY.collect()]:
        ends = {"histogram": ["_bucket", "_sum", "_count"], "counter": ["_total"]}.get(family.type, [""])
        own = getattr(family, "_labelnames", None) or {
            label for one in family.samples for label in one.labels
        }
        for end in ends:
            found[f"{family.name}{end}"] = {*own, "le", "job", "instance"}
    for metric in (instruments.PAGE_SECONDS, instruments.STAGE_SECONDS):
        for end in ("_bucket", "_sum", "_count"):
            found[f"{metric._name}{end}"] = {*metric._labelnames, "le"}
    for metric in (instruments.FINISHED, instruments.REFUSED, instruments.LOGGED_ERRORS):
        found[f"{metric._name}_total"] = set(metric._labelnames)
    return found


def test_every_query_names_a_metric_that_exists_by_labels_that_it_has():
    known = metrics() | {"up": {"job", "instance"}, "concur_last_sweep_seconds": set()}
    shown, rules = expressions()
    for expression in [*shown, *rules]:
        names = re.findall(r"\b(concur_\w+|up)\b", expression)
        assert names, expression
        for name in names:
            assert name in known, f"{name} in {expression}"
        labels = re.findall(r"(\w+)=~?\"", expression)
        labels += [
            label for group in re.findall(r"by \(([^)]*)\)", expression) for label in group.split(", ")
        ]
        allowed = set().union(*(known[name] for name in names), {"instance"})
        assert set(labels) <= allowed, expression


def test_the_dashboard_shows_every_metric():
    shown = " ".join(expressions()[0])
    missing = [name for name in metrics() if re.sub(r"_(bucket|sum|count)$", "", name) not in shown]
    assert missing == []


def test_brackets_close_and_panels_do_not_overlap():
    taken = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
    for expression in (one for some in expressions() for one in some):
        assert expression.count("(") == expression.count(")"), expression


def test_the_scrape_job_asks_for_the_metrics_with_a_token_and_loads_the_rules():
    [job] = SCRAPE["scrape_configs"]
    production = (DEPLOY / "production.env").read_text()
    [[target]] = [one["targets"] for one in job["static_configs"]]
    assert (job["scheme"], f"CONCUR_HOSTS={target}\n" in production) == ("https", True), "others are refused"
    assert job["metrics_path"] == "/metrics"
    assert job["authorization"]["credentials_file"]
    assert SCRAPE["rule_files"] == ["alerts.yml"]
    assert 'job="concur"' in RULES["groups"][0]["rules"][0]["expr"]
    assert job["job_name"] == "concur"
