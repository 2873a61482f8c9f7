"""Tests of the parts of a page's frame that a process renders once: each reader and page still gets its own."""

from uuid import uuid4

import pytest
from django.template import Context, Template
from django.template.base import TextNode
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from concur_site import context
from datasets_app.templatetags import frame
from tests.factories import make_user


def test_the_footer_leads_each_reader_only_where_they_may_go(client, db):
    for role, may, may_not in (
        ("administrator", ("people", "edits", "tags"), ()),
        ("annotator", ("edits", "tags"), ("people",)),
        ("reader", ("tags",), ("people", "edits")),
        ("administrator", ("people", "edits", "tags"), ()),
    ):
        client.force_login(make_user(role))
        page = client.get(reverse("account"))
        footer = page.content.decode().split("<footer")[1].split("</footer>")[0]
        assert all(f'href="{reverse(name)}"' in footer for name in may), role
        assert not any(f'href="{reverse(name)}"' in footer for name in may_not), role


def test_the_tables_to_export_belong_to_the_releases(curator):
    header = curator.get(reverse("tables")).content.decode().split("<header")[1].split("</header>")[0]
    assert f'href="{reverse("releases")}" aria-current="page"' in header


def test_the_footer_of_a_stranger_leads_to_the_api_and_public_releases(client, reader):
    reader.get(reverse("account"))
    footer = client.get(reverse("login")).content.decode().split("<footer")[1]
    assert 'href="/api/docs/"' in footer
    assert f'href="{reverse("releases")}"' in footer
    assert reverse("tags") not in footer


def test_each_page_has_its_own_keys(reader):
    for _ in range(2):
        assertContains(reader.get("/browse/?view=all"), "To the filters")
        assertNotContains(reader.get(reverse("account")), "To the filters")


def test_keys_are_rendered_once_and_escaped():
    rows = (("x", "Score <b>"),)
    assert "Score &lt;b&gt;" in frame.sheet(rows)
    assert frame.sheet(rows) is frame.sheet((("x", "Score <b>"),))


def test_the_head_is_rendered_once_and_before_what_a_page_adds(reader):
    head = reader.get("/browse/?view=all").content.decode().partition("</head>")[0]
    assert str(frame.site_head()) in head
    assert head.index("css/base.css") < head.index("css/browse.css")
    assert head.index("js/theme.js") < head.index("js/browse.js")


def test_an_address_without_an_argument_is_resolved_once():
    pk, page = (
        uuid4(),
        Template("{% url 'browse' %} {% url name %} {% url 'task' pk %} {% url 'admin:index' %}"),
    )
    expected = f"/browse/ /review/ /tasks/{pk}/ {reverse('admin:index')}"
    assert page.render(Context({"name": "review", "pk": pk})) == expected
    kinds = [type(node).__name__ for node in page.nodelist if not isinstance(node, TextNode)]
    assert kinds == ["PathNode", "URLNode", "URLNode", "URLNode"]


def test_only_a_sample_that_is_not_found_is_explained_by_its_id(reader):
    assert "a new id" not in reader.get("/nothing/here/").content.decode()
    lost = reader.get("/samples/00000000-0000-4000-8000-000000000000/")
    assert "a sample whose text changed has a new id" in lost.content.decode()


def test_a_visitor_who_is_not_signed_in_is_led_to_the_sign_in(client):
    page = client.get("/nothing/here/").content.decode()
    assert 'href="/accounts/login/?next=%2Fnothing%2Fhere%2F"' in page
    assert "site-sign-in" not in client.get("/accounts/login/").content.decode()


def test_a_nul_in_an_address_is_answered_with_a_page(reader):
    answer = reader.get("/browse/?q=a%00b")
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "The parameter &#x27;q&#x27; contains a NUL character." in page
    assert 'class="site-header"' in page


@pytest.mark.parametrize("name", ["home", "ingest", "verify", "analysis", "runs", "synthesize"])
def test_commands_are_those_of_the_installed_site_where_there_is_no_checkout(name, client, db, monkeypatch):
    monkeypatch.setattr(context, "TYPED_COMMAND", "concur-site")
    monkeypatch.setattr(context, "COMMAND", "concur-site")
    client.force_login(make_user("curator"))
    page = client.get(reverse(name))
    assertContains(page, "concur-site ")
    assertNotContains(page, "manage.py")
