"""Tests of the figures in Plotly's form, and of the page that contains them."""

import csv
import io
import json
import re
from collections import OrderedDict

import plotly.graph_objects as go
import pytest

from datasets_app.accounts.actor import SITE
from datasets_app.analysis import kept
from datasets_app.analysis.figures import FIGURES
from datasets_app.analysis.figures.figure import count_axis
from datasets_app.analysis.static_files import PlotlyFinder
from datasets_app.export.formats.csv import FORMULA, GUARD
from datasets_app.maintenance import runs
from datasets_app.models import MaintenanceKind, Sample
from tests.curate.store import failed, passed
from tests.verifications import H200

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_cached_figures(monkeypatch):
    """Empty the process's cache: on a busy machine any figure of another test may have been slow enough for it."""
    monkeypatch.setattr(kept, "_cache", OrderedDict())
    monkeypatch.setattr(kept, "SLOW_SECONDS", 60.0)


def everything():
    return Sample.objects.order_by().with_evidence_on(H200)


@pytest.fixture
def store():
    for number in range(12):
        passed(trace_tokens=500 + 1500 * number, speedup=0.5 + number, claimed_speedup=2.0, generator="kevin")
    for outcome in ("wrong_value", "cheated", "timeout", "broken_promise"):
        failed(outcome, trace_tokens=3000, generator="other", kernel="x = relu(x)\n" * 9)
    runs.run(runs.request(MaintenanceKind.NEIGHBOURS, SITE).pk)


def painted(value):
    """Return the plot with every token replaced by a colour, as the page's script does."""
    return json.loads(re.sub(r'"--[a-z-]+"', '"#123456"', json.dumps(value)))


def test_every_figure_is_one_that_plotly_accepts_and_its_csv_holds_the_rows_of_its_table(store, reader):
    for name, make in FIGURES.items():
        figure = make(everything(), "")
        go.Figure(painted(figure.plot))
        assert figure.n, name
        assert figure.caption.endswith("."), name
        answer = reader.get(f"/analysis/{name}.csv")
        rows = list(csv.reader(io.StringIO(answer.content.decode())))
        assert rows[0] == list(figure.columns), name
        assert len(rows) == len(figure.rows) + 1, name


@pytest.mark.parametrize("name", ["outcomes", "fast-p", "leaderboard"])
def test_tags_in_a_generators_name_are_no_tags_to_plotly(name):
    passed(generator='<a href="https://example.org">kevin</a>')
    drawn = json.dumps(FIGURES[name](everything(), "").plot)
    assert "&lt;a href" in drawn
    assert "<a " not in drawn


def test_two_long_names_that_begin_alike_are_two_bars():
    passed(generator="a" * 60)
    passed(generator="a" * 61)
    plot = FIGURES["outcomes"](everything(), "").plot
    assert plot["data"][0]["y"] == [0, 1]
    assert len(set(plot["layout"]["yaxis"]["ticktext"])) == 1


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_without_samples_teaches_instead(name):
    figure = FIGURES[name](everything(), "")
    assert figure.plot is None
    assert figure.n == 0
    assert figure.empty


def test_no_cell_of_a_figures_csv_begins_a_formula(reader):
    for begins in FORMULA:
        passed(generator=f'{begins}HYPERLINK("http://elsewhere")')
    texts = {name: reader.get(f"/analysis/{name}.csv").content.decode() for name in FIGURES}
    cells = [cell for text in texts.values() for row in csv.reader(io.StringIO(text)) for cell in row]
    named = [cell for cell in cells if "HYPERLINK" in cell]
    assert len(named) > len(FORMULA)
    assert not [cell for cell in named if not cell.startswith(GUARD)]


def test_the_papers_line_is_named_as_the_papers(store):
    figure = FIGURES["accuracy"](everything(), "")
    lines = {trace.get("name"): trace for trace in figure.plot["data"]}
    assert lines["the paper's"]["y"][0] == 0.65
    assert "The line is the paper's" in figure.caption
    hidden = FIGURES["accuracy"](everything(), "data")
    assert "The legend shows the paper's line" in hidden.caption
    assert "r = -0.047" in FIGURES["speedup-by-length"](everything(), "").caption


def test_the_page_follows_the_browse_filter(store, reader):
    answer = reader.get("/analysis/?generator=kevin")
    assert answer.status_code == 200
    by_name = {made.figure.name: made.figure for made in answer.context["figures"]}
    assert by_name["outcomes"].n == 12
    assert "kevin" in answer.content.decode()


def test_a_typed_filter_becomes_an_address(store, reader):
    answer = reader.get("/analysis/", {"query": "generator:kevin"})
    assert answer.url == "/analysis/?generator=kevin"


@pytest.mark.parametrize("query", [{"query": "outcome:maybe"}, {"nosuch": "1"}])
def test_a_filter_that_cannot_be_read_says_why(store, reader, query):
    answer = reader.get("/analysis/", query)
    assert answer.status_code == 400
    assert 'role="alert"' in answer.content.decode()


def test_the_page_costs_a_fixed_number_of_queries_and_reads_no_body(store, reader, django_assert_num_queries):
    reader.get("/analysis/")
    with django_assert_num_queries(31) as asked:
        reader.get("/analysis/")
    assert not any(
        "samplebody" in query["sql"] or "taskbody" in query["sql"] for query in asked.captured_queries
    )


@pytest.mark.parametrize("path", ["/analysis/", "/analysis/outcomes/", "/releases/"])
def test_nothing_is_inline_on_any_page(store, reader, path):
    policy = reader.get(path)["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert "script-src 'self';" in policy + ";"


def test_a_title_from_the_data_cannot_close_the_script_that_carries_it(reader):
    passed(trace_tokens=500, generator="</script><script>alert(1)</script>")
    assert "<script>alert(1)" not in reader.get("/analysis/").content.decode()


def test_plotlys_script_comes_from_the_installed_package():
    path = PlotlyFinder().find("vendor/plotly.min.js")
    assert "site-packages" in path
    assert [name for name, _ in PlotlyFinder().list([])] == ["plotly.min.js"]


def test_the_page_says_which_tokenizer_counted_and_offers_a_recount(store, reader):
    page = reader.get("/analysis/").content.decode()
    assert "Trace lengths counted by <code>words</code>" in page
    assert "recount</a>" in page


def test_a_cluster_of_the_figure_leads_to_its_samples(store, reader):
    figure = FIGURES["clusters"](everything(), "")
    assert [row[1] for row in figure.rows] == [12, 4]
    assert f"/browse/?cluster={figure.rows[0][0]}" in reader.get("/analysis/").content.decode()


@pytest.fixture
def slow_figures(monkeypatch):
    monkeypatch.setattr(kept, "SLOW_SECONDS", -1)
    yield
    kept._cache.clear()


def test_a_figure_that_took_long_is_kept_and_says_how_old_it_is(store, reader, slow_figures, monkeypatch):
    reader.get("/analysis/")
    passed(generator="kevin")
    now = kept.time.monotonic()
    monkeypatch.setattr(kept.time, "monotonic", lambda: now + 40)
    page = reader.get("/analysis/").content.decode()
    assert "counted 40 s ago" in page
    assert "n = 16 samples" in page
    assert "n = 17 samples" in reader.get("/analysis/?anew=1").content.decode()
    monkeypatch.setattr(kept.time, "monotonic", lambda: now + 40 + kept.KEPT_SECONDS + 1)
    passed(generator="kevin")
    assert "n = 18 samples" in reader.get("/analysis/").content.decode()


def test_a_quick_figure_is_made_anew_each_time(store, reader):
    reader.get("/analysis/")
    passed(generator="kevin")
    assert "n = 17 samples" in reader.get("/analysis/").content.decode()


def test_no_page_waits_for_figures_over_very_many_samples(store, reader, slow_figures, monkeypatch):
    monkeypatch.setattr(kept, "MANY", 5)
    page = reader.get("/analysis/").content.decode()
    assert page.count("is-waiting") == len(FIGURES)
    assert "n = " not in page
    for name in FIGURES:
        assert f'hx-get="/analysis/{name}/?' in page
    alone = reader.get("/analysis/accuracy/").content.decode()
    assert "n = " in alone
    part = reader.get("/analysis/accuracy/", headers={"HX-Request": "true"}).content.decode()
    assert part.lstrip().startswith("<section")
    after = reader.get("/analysis/").content.decode()
    assert after.count("is-waiting") == len(FIGURES) - 1
    assert "n = " in after


def test_a_figure_that_there_is_not_names_those_there_are(reader):
    page = reader.get("/analysis/nonsense/")
    assert page.status_code == 404
    assert reader.get("/analysis/accuracy/?outcome=pased").status_code == 400


def test_few_samples_are_counted_in_whole_numbers_and_few_bars_stay_bars(store):
    assert count_axis("samples", 2)["dtick"] == 1
    assert "dtick" not in count_axis("samples", 2000)
    low, high = FIGURES["clusters"](everything(), "").plot["layout"]["yaxis"]["range"]
    assert high - low == 6


def test_a_page_without_samples_draws_no_empty_figures_and_says_what_to_do(reader):
    page = reader.get("/analysis/")
    assert page.context["figures"] == []
    assert "Nothing to draw yet" in page.content.decode()
    passed()
    assert "No sample matches this filter" in reader.get("/analysis/?outcome=cheated").content.decode()
    assert reader.get("/analysis/").context["figures"]
