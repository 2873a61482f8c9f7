"""Tests that what belongs to one person, or to few, is in no answer to anybody else, at every address.

Each secret is a text that occurs nowhere else. A secret that nobody at all is shown would prove nothing: so each must
also be found where somebody may read it.
"""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from datasets_app import review
from datasets_app.accounts import api_tokens, audit, invitations
from datasets_app.accounts.actor import COMMAND
from datasets_app.browse.list import saved_views
from datasets_app.curate import freeze
from datasets_app.curate.definition import parse
from datasets_app.export import publication
from datasets_app.export.finish import finish_files
from datasets_app.models import Honeypot, Sample
from datasets_app.review import notes
from datasets_app.webhooks import verbs as webhooks
from tests.curate.store import PASSED, frozen
from tests.factories import acting, make_sample, make_user
from tests.site import matrix

pytestmark = pytest.mark.any_database
MARK = "zzsecret"  # every secret begins with it, so that a search finds them all
ROLES = matrix.ROLES
# Lists that answer a question.
ASKED = (
    "/search/?q=zzsecret",
    "/browse/complete/?q=zzsecret",
    "/browse/?q=zzsecret",
    "/people/audit/?person=zzsecret",
)
# Who may read each, besides its owner.
MAY = {
    "view": ("administrator",),  # in the audit log
    "view query": (),
    "token label": (),
    "draft": (),
    "review": ("curator", "administrator"),
    "note": ("curator", "administrator"),
    "honeypot": ("curator", "administrator"),
    "release title": ("curator", "administrator"),
    "release description": ("curator", "administrator"),
    "release name": ("curator", "administrator"),
    "release row": ("curator", "administrator"),
    "invitation note": ("administrator",),
    "webhook path": ("administrator",),
    "audit detail": ("administrator",),
    "address": (),
}
# The owner's own, who is an annotator: besides these, what an annotator is not shown.
OWN = ("view", "view query", "token label", "draft", "review", "note", "address")


def secret(what: str) -> str:
    return f"{MARK}-{what.replace(' ', '-')}-7f3a"


@pytest.fixture
def owner():
    return make_user("annotator", "owner")


@pytest.fixture
def hidden(objects, owner, settings):
    """Put the secrets into the objects of the matrix."""
    settings.REVIEW_BLIND = True
    settings.SENDS_MAIL = True
    me = acting(owner)
    sample = Sample.objects.with_body().get(pk=objects.ids["sample"])
    review.submit_review(sample, me, "fix", comment=secret("review"))
    review.save_draft(Sample.objects.get(pk=objects.ids["other"]), me, {"comment": secret("draft")})
    noted = notes.create_note(sample, me, [notes.lines_place(sample, "kernel", 2)], "race", secret("note"))
    objects.ids["note"] = noted.pk
    view = saved_views.save(me, secret("view"), f"q={secret('view query')}", shared=False)
    objects.ids["view"] = view.pk
    token, _ = api_tokens.make_token(owner, [], secret("token label"), actor=me)
    objects.ids["token"] = token.pk
    Honeypot.objects.create(sample=make_sample(), answer="cheat", family=secret("honeypot"), explanation="x")
    invitations.invite("reader", secret("invitation note"), actor=COMMAND)
    hook, _ = webhooks.create(
        f"https://hooks.example.org/{secret('webhook path')}", ["release.frozen"], actor=COMMAND
    )
    objects.ids["webhook"] = hook.pk
    audit.record(COMMAND, "role.change", owner, user=secret("audit detail"), was="reader", role="annotator")
    User.objects.filter(pk=owner.pk).update(email=f"{secret('address')}@example.org")
    hide_releases(objects)


def hide_releases(objects):
    """Make the matrix's release private, with secrets in it; and another, by whose name no address asks."""
    Sample.objects.filter(pk=objects.ids["sample"]).update(generator=secret("release row"))
    private = freeze.create(
        COMMAND,
        name="private-one",
        title=secret("release title"),
        definition=parse(PASSED),
        recipe_name="test",
    )
    freeze.run_freeze(private.pk)
    private.refresh_from_db()
    finish_files(private)
    publication.set_visibility(private, "private", actor=COMMAND)
    publication.describe(private, secret("release description"), actor=COMMAND)
    publication.set_visibility(frozen(secret("release name")), "private", actor=COMMAND)
    objects.ids["release"] = private.name
    # What the release keeps is not what the sample says today, which everybody reads.
    Sample.objects.filter(pk=objects.ids["sample"]).update(generator="somebody")


def seen_by(client, objects, sought=()):
    """Return the secrets that an answer holds, with their addresses; with `sought`, until those are found."""
    paths = [(r.pattern, objects.path(r.pattern, r.name), r.takes_tokens) for r in matrix.routes()]
    found = {}
    for _, path, as_json in [*paths, *((path, path, False) for path in ASKED)]:
        if sought and set(sought) <= set(found):
            break
        answer, _ = matrix.exchange(client, "GET", path, {}, as_json)
        text = (answer.whole.decode(errors="replace") + str(answer.headers)).lower()
        if MARK in text:
            for what in MAY:
                if secret(what) in text:
                    found.setdefault(what, []).append(path)
    return found


# A reader is shown less than an annotator, as the matrix shows.
@pytest.mark.parametrize("roles", [ROLES[1:], pytest.param(ROLES[:1], marks=pytest.mark.long)], ids=str)
def test_nobody_is_shown_what_is_somebody_elses(objects, visitors, hidden, owner, roles):
    faults, read = [], set()
    for who in ("anonymous", *roles):
        found = seen_by(visitors.client(who), objects)
        read |= set(found)
        faults += [
            f"{who} reads the {what} at {', '.join(paths)}"
            for what, paths in found.items()
            if who not in MAY[what]
        ]
    assert not faults
    if "administrator" in roles:
        client = Client()
        client.force_login(owner)
        assert read | set(seen_by(client, objects, OWN)) == set(MAY)
