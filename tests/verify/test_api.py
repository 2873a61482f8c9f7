import pytest

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import ApiToken, Verification
from eval_app.request.verify import request_verification
from eval_app.results.record import record_report
from tests.factories import make_sample, make_user
from tests.verify import reports

pytestmark = pytest.mark.django_db
URL = "/api/v1/verifications/"


@pytest.fixture
def as_program(client):
    """Return a client with a token of these scopes."""

    def caller(*scopes):
        _, token = ApiToken.issue(make_user("annotator"), list(scopes))
        client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {token}"
        return client

    return caller


def ask(caller, to_verify, **fields):
    return caller.post(URL, {"sample": str(to_verify.pk), **fields}, content_type="application/json")


def test_asking_is_accepted_and_says_what_it_waits_for(as_program):
    answer = ask(as_program("read", "annotate"), make_sample(language="cuda"))
    assert answer.status_code == 202
    body = answer.json()
    assert (body["state"], body["wanted_device"], body["profile"]) == ("waiting", "cuda", "quick")
    assert body["waits_for"] == "waits for a CUDA worker; none has been seen"


def test_asking_twice_gives_the_same_verification(as_program):
    caller, sample = as_program("read", "annotate"), make_sample()
    assert ask(caller, sample).json()["id"] == ask(caller, sample).json()["id"]


def test_a_token_that_may_only_read_may_not_ask(as_program):
    assert ask(as_program("read"), make_sample()).status_code == 403


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"profile": "sloppy"}, "profile"),
        ({"device": "tpu"}, "device"),
        ({"sample": "00000000-0000-4000-8000-000000000000"}, "sample"),
        ({"sample": "x"}, "sample"),
    ],
)
def test_a_wrong_wish_names_its_field(as_program, fields, named):
    answer = ask(as_program("read", "annotate"), make_sample(), **fields)
    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {named}
    assert Verification.objects.count() == 0


def test_one_verification_comes_with_its_findings_and_report(as_program):
    (row,) = request_verification([make_sample()], actor=COMMAND)
    record_report(row.pk, 1, reports.cheated(row.sample_id))
    body = as_program("read").get(f"{URL}{row.pk}/").json()
    assert body["state"] == "done"
    assert [finding["code"] for finding in body["findings"]] == ["output_replayed"]
    assert body["report"]["outcome"] == "cheated"


def test_an_unfinished_one_has_no_report(as_program):
    (row,) = request_verification([make_sample()], actor=COMMAND)
    assert as_program("read").get(f"{URL}{row.pk}/").json()["report"] is None


def test_the_list_is_filtered_and_paged(as_program):
    rows = request_verification([make_sample() for _ in range(5)], actor=COMMAND)
    record_report(rows[0].pk, 1, reports.wrong(rows[0].sample_id))
    caller = as_program("read")
    assert len(caller.get(URL, {"outcome": "wrong_value"}).json()["results"]) == 1
    first = caller.get(URL, {"state": "waiting", "limit": 3}).json()
    second = caller.get(first["next"]).json()
    assert len(first["results"]) + len(second["results"]) == 4


def test_a_filter_that_cannot_match_is_an_error(as_program):
    answer = as_program("read").get(URL, {"outcome": "fine"})
    assert answer.status_code == 400
    assert "outcome must be one of" in str(answer.json()["errors"]["outcome"])


def test_the_list_costs_the_same_queries_for_any_number_and_reads_no_body(
    as_program, django_assert_num_queries
):
    caller = as_program("read")
    request_verification([make_sample() for _ in range(9)], actor=COMMAND)
    caller.get(URL)
    with django_assert_num_queries(4) as captured:  # token, role, rows, workers
        caller.get(URL)
    assert not [q for q in captured.captured_queries if "body" in q["sql"] or 'report"' in q["sql"]]


def test_the_schema_describes_it_without_a_warning():
    from drf_spectacular.generators import SchemaGenerator

    schema = SchemaGenerator().get_schema(request=None, public=True)
    assert "202" in schema["paths"][URL]["post"]["responses"]
