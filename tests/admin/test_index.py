"""Tests of the admin's index: every model in the section of its stage."""

import pytest
from django.contrib import admin

from datasets_app.accounts.admin_site import LAST_SECTION, SECTIONS

pytestmark = pytest.mark.django_db


def test_every_model_has_a_section_and_every_section_names_models_that_are_there():
    named = [name for names in SECTIONS.values() for name in names]
    assert len(named) == len(set(named))
    assert set(named) == {model.__name__ for model in admin.site._registry}


def test_the_index_leads_to_every_list_in_the_order_of_the_stages(administrator):
    answer = administrator.get("/admin/")
    sections = [section["name"] for section in answer.context["app_list"]]
    assert sections == list(SECTIONS)
    assert LAST_SECTION not in sections
    for section in answer.context["app_list"]:
        for model in section["models"]:
            assert f'href="{model["admin_url"]}"' in answer.content.decode()


def test_an_apps_page_has_its_own_models_alone(administrator):
    answer = administrator.get("/admin/eval_app/")
    names = {model["object_name"] for section in answer.context["app_list"] for model in section["models"]}
    assert names == {"Worker", "VerificationBatch"}


def test_a_list_is_named_after_its_rows(administrator):
    assert administrator.get("/admin/datasets_app/sample/").context["title"] == "Samples"
