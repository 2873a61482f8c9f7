import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from datasets_app.api.samples import SampleRowSerializer
from datasets_app.models import ApiToken, Sample, SampleBody, Verification
from tests.factories import make_sample, make_source, make_task, make_user

pytestmark = pytest.mark.django_db
ROW = [
    *("id", "task", "task_name", "source", "generator", "language", "trace_tokens", "claimed_speedup"),
    *("outcome", "measured_speedup", "device", "verdict", "created_at"),
]


def test_a_row_has_the_pinned_fields_in_their_order(reader):
    sample = make_sample(claimed_speedup=2.5)
    body = reader.get("/api/v1/samples/").json()
    assert list(body) == ["next", "previous", "results"]
    (row,) = body["results"]
    assert list(row) == ROW
    assert row["id"] == str(sample.pk)
    assert row["task"] == str(sample.task_id)
    assert (row["task_name"], row["source"], row["claimed_speedup"]) == (sample.task.name, "house", 2.5)


def test_a_row_of_the_list_is_what_the_serializer_writes_of_its_sample(reader):
    sample = make_sample(
        outcome="passed",
        verified_at=timezone.now(),
        measured_speedup=1.5,
        device="NVIDIA H200",
        generator="a",
    )
    (row,) = reader.get("/api/v1/samples/").json()["results"]
    assert row == SampleRowSerializer(Sample.objects.get(pk=sample.pk)).data


def test_one_sample_adds_its_texts_and_its_verifications(reader):
    sample = make_sample(reasoning="because", kernel="class ModelNew: pass")
    now = timezone.now()
    Verification.objects.create(
        sample=sample,
        wanted_device="cpu",
        state="done",
        outcome="passed",
        speedup=1.5,
        finished_at=now,
        device="CPU",
    )
    body = reader.get(f"/api/v1/samples/{sample.pk}/").json()
    assert body["pytorch_code"] == sample.task.body.pytorch_code
    assert (body["reasoning"], body["kernel_code"]) == ("because", "class ModelNew: pass")
    assert [(one["outcome"], one["speedup"]) for one in body["verifications"]] == [("passed", 1.5)]
    assert reader.get("/api/v1/samples/1b4e28ba-2fa1-5d3e-883f-0016d3cca427/").status_code == 404


def test_the_filters_are_those_of_the_browse_page(reader):
    wanted = make_sample(generator="a", reasoning="warp shuffle")
    make_sample(generator="b")
    for query in ("generator=a", "q=%22warp+shuffle%22", f"task={wanted.task_id}", "tokens_max=2"):
        rows = reader.get(f"/api/v1/samples/?{query}").json()["results"]
        assert [row["id"] for row in rows] == [str(wanted.pk)], query


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("outcome=great", "outcome"),
        ("tokens_min=x", "tokens_min"),
        ("colour=red", "colour"),
        ("limit=0", "limit"),
        ("limit=many", "limit"),
        ("limit=1001", "limit"),
        ("sort=beauty", "sort"),
        ("cursor=zzz", "cursor"),
    ],
)
def test_a_bad_parameter_is_answered_by_its_name_and_what_to_do(reader, query, name):
    make_sample()
    response = reader.get(f"/api/v1/samples/?{query}")
    assert response.status_code == 400
    assert set(response.json()["errors"]) == {name}
    assert name in response.json()["errors"][name][0]


def test_all_rows_come_once_over_pages_that_hold_while_rows_are_added(reader):
    ids = {str(make_sample().pk) for _ in range(7)}
    body = reader.get("/api/v1/samples/?limit=3").json()
    seen = [row["id"] for row in body["results"]]
    assert body["previous"] is None
    while body["next"]:
        make_sample()
        body = reader.get(body["next"]).json()
        assert body["previous"]
        seen += [row["id"] for row in body["results"]]
    assert len(seen) == len(set(seen))
    assert ids <= set(seen)


def test_previous_leads_back(reader):
    for _ in range(5):
        make_sample()
    first = reader.get("/api/v1/samples/?limit=2&sort=tokens").json()
    second = reader.get(first["next"]).json()
    assert reader.get(second["previous"]).json()["results"] == first["results"]


def test_a_list_costs_the_same_queries_whatever_the_rows_and_reads_no_text(reader):
    make_sample()
    with CaptureQueriesContext(connection) as few:
        reader.get("/api/v1/samples/?q=relu")
    for number in range(20):
        make_sample(make_task(), source=make_source(f"s{number}"))
    with CaptureQueriesContext(connection) as many:
        rows = reader.get("/api/v1/samples/?q=relu").json()["results"]
    assert len(rows) == 21
    assert len(many) == len(few)
    for captured in many:
        assert "datasets_app_samplebody" not in captured["sql"]
        assert "datasets_app_taskbody" not in captured["sql"]


def test_a_token_with_the_scope_read_may_read_and_nobody_else(db):
    make_sample()
    _, text = ApiToken.issue(make_user("reader"), ["read"])
    _, other = ApiToken.issue(make_user("annotator"), ["annotate"])
    client = Client()
    assert client.get("/api/v1/samples/", headers={"authorization": f"Bearer {text}"}).status_code == 200
    assert client.get("/api/v1/samples/", headers={"authorization": f"Bearer {other}"}).status_code == 403
    assert client.get("/api/v1/samples/").status_code == 401
    assert client.post("/api/v1/samples/", headers={"authorization": f"Bearer {text}"}).status_code in (
        403,
        405,
    )


def test_the_schema_names_every_filter(reader):
    schema = reader.get("/api/schema/?format=json").json()
    names = {parameter["name"] for parameter in schema["paths"]["/api/v1/samples/"]["get"]["parameters"]}
    assert {
        "q",
        "outcome",
        "finding",
        "speedup_min",
        "tokens_max",
        "operator",
        "limit",
        "cursor",
        "sort",
    } <= names


def test_one_sample_has_everything_that_its_source_claims_and_its_twin(reader):
    original, translated = make_sample(language="cuda"), make_sample(language="hip")
    Sample.objects.filter(pk=translated.pk).update(twin=original)
    claims = [
        {"quantity": "speedup", "value": 2.5, "over": "eager", "device": "H100"},
        {"quantity": "speedup", "value": 1.5, "over": "torch.compile", "device": "H100"},
    ]
    SampleBody.objects.filter(pk=translated.pk).update(claims=claims)
    answer = reader.get(f"/api/v1/samples/{translated.pk}/").json()
    assert (answer["claims"], answer["twin"], answer["language"]) == (claims, str(original.pk), "hip")
    assert reader.get(f"/api/v1/samples/{original.pk}/").json()["twin"] is None
    listed = reader.get("/api/v1/samples/", {"language": "hip"}).json()["results"]
    assert [row["id"] for row in listed] == [str(translated.pk)]


def test_what_other_rows_claim_of_a_sample_is_among_its_claims(reader):
    sample = make_sample()
    own = {"quantity": "speedup", "value": 2.5, "over": "eager", "device": "H100"}
    on_a100 = {"quantity": "speedup", "value": 1.25, "over": "cuDNN", "device": "A100"}
    other = {"quantity": "speedup", "value": 3.0, "over": "eager", "device": "L40"}
    rows = [
        {"source": "CUDA-L1", "speedup": 2.0, "device": "A100", "correct": True, "claims": [on_a100]},
        {"source": "b", "speedup": 3.0, "device": "L40", "correct": None},
        {
            "source": "c",
            "speedup": None,
            "claims": [{"quantity": "charm", "value": 1}, "text", {"value": "x"}],
        },
    ]
    SampleBody.objects.filter(pk=sample.pk).update(claims=[own], extra={"also_claimed": rows})
    assert reader.get(f"/api/v1/samples/{sample.pk}/").json()["claims"] == [own, on_a100, other]
    assert "1.25x over cuDNN, on A100" in reader.get(sample.get_absolute_url()).content.decode()


@pytest.mark.parametrize("kept", ["text", [1], [{"device": "H100"}], None])
def test_a_column_that_only_has_the_name_of_kept_claims_claims_nothing(reader, kept):
    sample = make_sample()
    SampleBody.objects.filter(pk=sample.pk).update(extra={"also_claimed": kept})
    assert reader.get(f"/api/v1/samples/{sample.pk}/").json()["claims"] == []
