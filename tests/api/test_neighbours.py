"""Tests of /api/v1/samples/{id}/neighbours/."""

import uuid

import pytest

from datasets_app.similarity import index
from tests.api.test_schema import schema
from tests.factories import make_sample

pytestmark = pytest.mark.django_db
KERNEL = "class ModelNew:\n    def forward(self, x):\n" + "".join(
    f"        x = torch.op_{n}(x, {n}) + x.view({n}, -1)\n" for n in range(30)
)


def nearest(client, sample):
    return client.get(f"/api/v1/samples/{sample.pk}/neighbours/")


@pytest.fixture
def family():
    """A kernel, its copy with another layout, a near copy, and an unrelated one."""
    texts = [KERNEL, f"# a comment\n{KERNEL}", f"{KERNEL}        return x + 1\n", "something = else_()\n" * 9]
    samples = [make_sample(kernel=text) for text in texts]
    index.index([sample.pk for sample in samples])
    return samples


def test_the_nearest_come_first_with_similarity_verdict_and_a_link_to_the_difference(reader, family):
    own, copy, near, _ = family
    near.record_verdict(verdict="accept", reviewed_at="2026-11-21T00:00Z", votes=1, agreement=1.0)
    answer = nearest(reader, own).json()
    assert answer["indexed"]
    first, second = answer["results"]
    assert (first["sample"]["id"], first["similarity"], first["same_text"]) == (str(copy.pk), 1.0, True)
    assert second["sample"]["id"] == str(near.pk)
    assert 0.8 < second["similarity"] < 1
    assert second["sample"]["verdict"] == "accept"
    assert reader.get(second["diff"]).status_code == 200


def test_its_cluster_can_be_listed(reader, family):
    cluster = nearest(reader, family[0]).json()["cluster"]
    rows = reader.get("/api/v1/samples/", {"cluster": cluster}).json()["results"]
    assert {row["id"] for row in rows} == {str(sample.pk) for sample in family[:3]}


def test_a_sample_that_is_not_compared_yet_says_so(reader):
    answer = nearest(reader, make_sample()).json()
    assert answer == {"next": None, "previous": None, "indexed": False, "cluster": "", "results": []}


def test_a_sample_that_is_not_there_is_not_found(reader):
    assert reader.get(f"/api/v1/samples/{uuid.uuid4()}/neighbours/").status_code == 404


def test_no_text_is_read_and_the_queries_are_few(reader, family, django_assert_max_num_queries):
    with django_assert_max_num_queries(12) as asked:  # four for the request, seven for neighbours
        nearest(reader, family[0])
    assert not any("datasets_app_samplebody" in one["sql"] for one in asked.captured_queries)


def test_it_needs_a_login(client, family):
    assert nearest(client, family[0]).status_code in (401, 403)


def test_it_is_described():
    described = schema()["paths"]["/api/v1/samples/{id}/neighbours/"]["get"]
    named = described["responses"]["200"]["content"]["application/json"]["schema"]["$ref"].rsplit("/")[-1]
    assert {"indexed", "cluster", "results"} <= set(schema()["components"]["schemas"][named]["properties"])
