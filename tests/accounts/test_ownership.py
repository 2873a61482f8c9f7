"""Tests of ownership: the decisions that a role and a token's scope leave open."""

import pytest
from django.core.exceptions import PermissionDenied

from datasets_app import bulk
from datasets_app.accounts import api_tokens
from datasets_app.accounts.actor import COMMAND, actor_of
from datasets_app.accounts.ownership import RULES
from datasets_app.browse.list import saved_views, tags
from datasets_app.bulk import Target
from datasets_app.curate import recipes
from datasets_app.models import ApiToken, Assignment, AuditEntry, Recipe, Tag
from eval_app.request import verify
from tests.api.clients import api, token_for
from tests.curate.store import PASSED
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def people():
    return {role: acting(make_user(role)) for role in ("reader", "annotator", "curator", "administrator")}


def refused(act):
    with pytest.raises(PermissionDenied) as caught:
        act()
    return str(caught.value)


def ticked(sample):
    return Target.of_ids([str(sample.pk)])


# --- A token has fewer rights than its owner ---------------------------------------------------------


def program(*scopes):
    """A client with a token owned by an administrator."""
    return api(token_for(make_user("administrator"), *scopes))


def test_a_token_for_annotating_deletes_no_tag_of_others():
    tags.make(COMMAND, "fast")
    assert program("read", "annotate").delete("/api/v1/tags/fast/").status_code == 403
    assert Tag.objects.filter(name="fast").exists()


def test_a_token_for_annotating_adds_nothing_to_a_recipe(people):
    recipes.save(people["curator"], PASSED, name="mine")
    sent = {"action": "recipe", "samples": [str(make_sample().pk)], "recipe": "mine"}
    answer = program("read", "annotate").post("/api/v1/bulk-actions/", sent)
    assert answer.status_code == 403
    assert "scope curate" in answer.json()["detail"]
    assert Recipe.objects.get(name="mine").definition["rules"] == [
        {"rule": "outcome", "outcomes": ["passed"]}
    ]


def test_a_token_for_reading_shares_no_view():
    client = program("read")
    assert client.post("/api/v1/views/", {"name": "mine", "query": "", "shared": True}).status_code == 403
    made = client.post("/api/v1/views/", {"name": "mine", "query": ""}).json()
    assert client.patch(f"/api/v1/views/{made['id']}/", {"shared": True}).status_code == 403
    assert client.get(f"/api/v1/views/{made['id']}/").json()["shared"] is False


def test_a_token_for_reading_sees_no_reviews_that_blind_review_hides(settings):
    settings.REVIEW_BLIND = True
    from datasets_app import review

    review.submit_review(make_sample(), acting(make_user("annotator")), "accept")
    assert program("read").get("/api/v1/reviews/").json()["results"] == []
    assert len(program("read", "annotate", "curate").get("/api/v1/reviews/").json()["results"]) == 1


def test_the_log_keeps_how_a_request_came_in_and_by_which_token(annotator):
    owner = make_user("annotator")
    client = api(token_for(owner, "read", "annotate"))
    client.post("/api/v1/tags/", {"name": "one"})
    annotator.post("/browse/tags/save/", {"name": "two"})
    tags.make(COMMAND, "three")
    by_api, by_page, by_command = AuditEntry.objects.filter(action="tag.create").order_by("id")
    assert (by_api.via, by_api.token, by_api.actor) == ("api", ApiToken.objects.get(user=owner), owner)
    assert (by_page.via, by_page.token) == ("page", None)
    assert (by_command.via, by_command.actor_name) == ("command", "command")


def test_a_token_makes_no_token():
    owner = make_user("curator")
    token, _ = ApiToken.issue(owner, ["read", "curate"])

    class Request:
        user, auth, path = owner, token, "/api/v1/"

    assert "sign in" in refused(lambda: api_tokens.make_token(owner, ["read"], actor=actor_of(Request())))


def test_nobody_makes_a_token_for_another(people):
    refused(lambda: api_tokens.make_token(make_user("reader"), ["read"], actor=people["administrator"]))


# --- Recipes ------------------------------------------------------------------------------------------


def test_another_curator_reads_and_copies_a_recipe_and_changes_nothing(people, curator):
    mine = recipes.save(people["curator"], PASSED, name="mine")
    other = acting(make_user("curator"))
    assert "only its owner" in refused(lambda: recipes.save(other, PASSED, name="theirs", recipe=mine))
    refused(lambda: recipes.delete(other, mine))
    refused(lambda: bulk.start(other, "recipe", ticked(make_sample()), {"recipe": "mine"}))
    assert recipes.copy(other, mine).created_by == other.user
    page = curator.get("/curate/mine/").content.decode()
    assert "This recipe belongs to" in page
    assert 'value="save"' not in page


def test_an_administrator_changes_any_recipe_and_the_log_says_who(people):
    mine = recipes.save(people["curator"], PASSED, name="mine")
    recipes.save(people["administrator"], PASSED, name="better", recipe=mine)
    assert AuditEntry.objects.get(action="recipe.change").actor == people["administrator"].user


def test_a_recipe_whose_owner_is_gone_is_changed_by_administrators_alone(people):
    orphan = recipes.save(COMMAND, PASSED, name="orphan")
    assert "belongs to nobody now" in refused(lambda: recipes.delete(people["curator"], orphan))
    recipes.delete(people["administrator"], orphan)


# --- Tags ---------------------------------------------------------------------------------------------


def test_who_made_a_tag_changes_it_until_somebody_else_uses_it(people):
    mine, sample = people["annotator"], make_sample()
    tag = tags.make(mine, "mine")
    tags.put_on(mine, sample, tag)
    assert tags.change(mine, tag, name="renamed").name == "renamed"
    tags.put_on(people["curator"], make_sample(), tag)
    assert "for everybody" in refused(lambda: tags.change(mine, tag, name="again"))
    refused(lambda: tags.delete(mine, tag))
    tags.delete(people["curator"], tag)


def test_another_annotator_applies_a_tag_and_does_not_change_it(people):
    tag, sample = tags.make(people["annotator"], "shared"), make_sample()
    other = acting(make_user("annotator"))
    tags.put_on(other, sample, tag)
    tags.take_off(other, sample, tag)
    refused(lambda: tags.change(other, tag, colour="red"))


def test_the_page_of_tags_offers_to_change_only_what_one_may(annotator, people):
    tags.make(people["curator"], "theirs")
    annotator.post("/browse/tags/save/", {"name": "mine"})
    page = annotator.get("/browse/tags/").content.decode()
    assert "Name of mine" in page
    assert "Name of theirs" not in page


# --- Saved views --------------------------------------------------------------------------------------


def test_a_private_view_is_nobody_elses_not_even_an_administrators(people):
    view = saved_views.save(people["reader"], "mine", "")
    refused(lambda: saved_views.change(people["administrator"], view, name="theirs"))


def test_a_shared_view_is_changed_by_its_owner_and_administrators(people):
    view = saved_views.save(people["annotator"], "ours", "", shared=True)
    refused(lambda: saved_views.delete(people["curator"], view))
    saved_views.change(people["administrator"], view, shared=False)
    assert view.shared is False


def test_an_owner_who_is_a_reader_now_takes_a_shared_view_back_and_no_more(people):
    mine = people["annotator"]
    view = saved_views.save(mine, "ours", "", shared=True)
    mine.user.groups.clear()
    now = acting(type(mine.user).objects.get(pk=mine.user.pk))
    refused(lambda: saved_views.change(now, view, query="outcome=passed"))
    saved_views.delete(now, view)
    refused(lambda: saved_views.restore(now, view))  # it would be shared again
    saved_views.change(now, view, shared=False)


# --- Assignments, verifications, bulk actions ---------------------------------------------------------


def assigned(by, reviewer, sample):
    return Assignment.objects.create(sample=sample, reviewer=reviewer, assigned_by=by)


def take_back(actor, reviewer, sample):
    done = bulk.start(actor, "unassign", ticked(sample), {"reviewer": reviewer.username})
    return done.changed


def test_an_assignment_is_taken_back_by_who_made_it_whom_it_names_or_a_curator(people):
    sample, reviewer = make_sample(), make_user("annotator")
    assigned(people["curator"].user, reviewer, sample)
    assert take_back(people["annotator"], reviewer, sample) == 0
    assert take_back(acting(reviewer), reviewer, sample) == 1
    assigned(people["annotator"].user, reviewer, sample)
    assert take_back(people["annotator"], reviewer, sample) == 1
    assigned(people["annotator"].user, reviewer, sample)
    assert take_back(people["curator"], reviewer, sample) == 1


def test_a_verification_is_cancelled_by_who_asked_or_a_curator(people):
    (mine,) = verify.request_verification([make_sample()], actor=people["annotator"])
    refused(lambda: verify.cancel(mine, acting(make_user("annotator"))))
    assert verify.cancel(mine, people["annotator"])
    (again,) = verify.request_verification([make_sample()], actor=people["annotator"])
    assert verify.cancel(again, people["curator"])


def test_undoing_needs_the_right_that_the_action_needed(people):
    recipes.save(people["curator"], PASSED, name="mine")
    done = bulk.start(people["curator"], "recipe", ticked(make_sample()), {"recipe": "mine"})
    refused(lambda: bulk.undo(acting(make_user("curator")), done))
    mine = people["curator"].user
    mine.groups.set([make_user("annotator").groups.get()])
    refused(lambda: bulk.undo(acting(type(mine).objects.get(pk=mine.pk)), done))
    assert bulk.undo(people["administrator"], done).changed == 1


def test_the_account_page_says_the_rules(reader):
    page = reader.get("/account/").content.decode()
    assert all(f"<dt>{thing}</dt>" in page for thing in RULES)
