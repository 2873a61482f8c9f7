"""Tests that an empty recipe explains why, if its device and its languages exclude each other."""

import pytest

from tests.curate.store import passed
from tests.verifications import EPYC

pytestmark = pytest.mark.django_db


def test_a_recipe_of_gpu_kernels_says_why_it_chooses_nothing_on_a_cpu(reader):
    passed(device=EPYC, language="cpp")
    page = reader.get("/curate/concur/").content.decode()
    assert f"Rule 1 keeps CUDA kernels alone, and the evidence is of {EPYC}, a CPU" in page
    assert "tick C++ in rule 1" in page


def test_a_recipe_that_is_empty_for_another_reason_points_to_its_rules(reader):
    passed(language="cpp")
    page = reader.get("/curate/concur/").content.decode()
    assert "a CPU" not in page
    assert "Loosen the first rule above that keeps none" in page
