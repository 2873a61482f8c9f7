"""Ownership: what an actor may do to things that somebody else created. All such rules are here.

A scope says which kind of work an actor may do; these rules say on which things. `RULES` states them in words, for the
account page.
"""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Q, QuerySet

from datasets_app.accounts.actor import Actor
from datasets_app.accounts.roles import Scope
from datasets_app.models import (
    ApiToken,
    BulkAction,
    JobState,
    Publication,
    Recipe,
    Release,
    SampleTag,
    SavedView,
    Tag,
    Visibility,
)

RULES = {
    "Recipes": "Their owner and administrators change, rename and delete them. Every curator may read, copy and "
    "freeze any recipe. Nobody changes a recipe that comes with the project.",
    "Tags": "Everybody who annotates may make a tag and put it on samples or take it off. Renaming, recolouring and "
    "deleting a tag needs the right to curate, or to have made it while nobody else has used it.",
    "Saved views": "Private to their owner. Sharing one, and changing a shared one, needs the right to annotate. Only "
    "the owner and, once it is shared, an administrator may change or delete it.",
    "Reviews": "Reviews are never changed: a new one replaces an earlier one of the same reviewer. One is withdrawn, "
    "with a reason, by its reviewer or a curator: it stays visible and no longer counts. Drafts and claims are their "
    "reviewer's own.",
    "Samples": "Every curator withdraws a sample, with a reason, and brings it back. The samples of an ingest that "
    "nobody has used are withdrawn together by the person who started it, or by an administrator.",
    "Notes": "Everybody who annotates may write, answer, resolve and reopen notes. A text is edited by its author, and "
    "withdrawn, with a reason, by its author or a curator. Earlier and withdrawn texts stay visible. The "
    "rows of a release hold the label and the comment of each note that stands.",
    "Suggestions": "Everybody who annotates may send suggestions by a program. One is withdrawn by the account that "
    "sent it or by a curator; those of the site's rules follow the evidence. Taking or dropping one is the reviewer's "
    "own.",
    "Edits": "Everybody who annotates may propose them. An edit is changed by its author, withdrawn by its author or a "
    "curator and, once it passed, accepted by a curator or by a reviewer who did not write it.",
    "Review queues": "Every curator makes, opens, changes and closes them. A queue is worked on by the reviewers that "
    "it names, or by everybody who annotates if it names nobody.",
    "Preferences": "Everybody who annotates may compare two samples of a task. A choice is withdrawn by its "
    "reviewer or a curator, with a reason: it stays stored and no longer counts.",
    "Assignments": "Everybody who annotates may assign samples. An assignment is taken back by whoever made it, by "
    "the reviewer it names, or by a curator.",
    "Verifications": "Everybody who annotates may ask for them. One that waits is cancelled by whoever asked for it "
    "or by a curator.",
    "Bulk actions": "Undone by whoever did them or by an administrator, with the right that the action itself needs.",
    "Syntheses": "Every curator starts, cancels and continues them.",
    "Ingests, releases, exports": "Every curator may start them and try them again.",
    "Publication of releases": "Every curator decides who may read a release, changes its description, yanks it with a "
    "reason, and says which release supersedes it. A private release is read by its creator, curators and the people "
    "whom it names.",
    "Accounts": "Administrators invite people, change roles, make links that reset a password, and deactivate and "
    "reactivate accounts. There is always one active administrator.",
    "Webhooks": "Administrators add, change, switch off and delete them, and see what was delivered.",
    "API tokens": "Made by their owner, signed in; revoked by their owner or an administrator.",
}


def may_withdraw(actor: Actor, owner_id: int | None) -> bool:
    """Return whether the actor may take back what this account did: its own as an annotator, anybody's as a curator.

    The rule for verifications, notes, reviews, preferences and suggestions.
    """
    return actor.may(Scope.CURATE) or (actor.is_user(owner_id) and actor.may(Scope.ANNOTATE))


def may_change_recipe(actor: Actor, recipe: Recipe) -> bool:
    if recipe.builtin or not actor.may(Scope.CURATE):
        return False
    return actor.is_user(recipe.created_by_id) or actor.may(Scope.ADMIN)


def require_recipe(actor: Actor, recipe: Recipe) -> None:
    """Raise PermissionDenied for somebody else's recipe. Built-in recipes are refused where they are saved, with a
    reason."""
    if not recipe.builtin and not may_change_recipe(actor, recipe):
        raise PermissionDenied(
            f"The recipe {recipe.name} belongs to {recipe.created_by or 'nobody now'}; only its owner or an "
            "administrator may change it. Copy it to change the copy."
        )


def changeable_tags(actor: Actor) -> QuerySet[Tag]:
    if actor.may(Scope.CURATE):
        return Tag.objects.all()
    if actor.user is None or not actor.may(Scope.ANNOTATE):
        return Tag.objects.none()
    by_others = SampleTag.objects.filter(tag=OuterRef("pk")).exclude(added_by=actor.user)
    return Tag.objects.filter(~Exists(by_others), created_by=actor.user)


def require_tag(actor: Actor, tag: Tag) -> None:
    if not changeable_tags(actor).filter(pk=tag.pk).exists():
        raise PermissionDenied(
            f"Changing or deleting the tag {tag.name} changes it for everybody: that needs the right to curate, or to "
            "have made the tag while nobody else has used it."
        )


def may_change_view(actor: Actor, view: SavedView) -> bool:
    return actor.is_user(view.owner_id) or (view.shared and actor.may(Scope.ADMIN))


def require_view(actor: Actor, view: SavedView) -> None:
    if not may_change_view(actor, view):
        raise PermissionDenied(f"{view.name} belongs to {view.owner}; save a copy of your own to change it.")


def require_verification(actor: Actor, requested_by_id: int | None) -> None:
    if not may_withdraw(actor, requested_by_id):
        raise PermissionDenied("Only whoever asked for a verification, or a curator, may cancel it.")


def require_note(actor: Actor, author_id: int | None) -> None:
    if not may_withdraw(actor, author_id):
        raise PermissionDenied("Only its author, or a curator, may withdraw this text: answer it instead.")


def require_review(actor: Actor, reviewer_id: int | None) -> None:
    if not may_withdraw(actor, reviewer_id):
        raise PermissionDenied(
            "Only its reviewer, or a curator, may withdraw a review: submit your own instead."
        )


def require_suggestion(actor: Actor, posted_by_id: int | None) -> None:
    """Raise PermissionDenied for somebody else's suggestion, and for those of the site's rules, which nobody sent."""
    if posted_by_id is None or not may_withdraw(actor, posted_by_id):
        raise PermissionDenied("Only the account that sent it, or a curator, may withdraw a suggestion.")


def require_preference(actor: Actor, reviewer_id: int | None) -> None:
    if not may_withdraw(actor, reviewer_id):
        raise PermissionDenied(
            "Only its reviewer, or a curator, may withdraw a preference: compare the two yourself."
        )


def own_assignments(user: Any) -> Q:
    """Return the assignments that an account may withdraw without the right to curate."""
    return Q(assigned_by=user) | Q(reviewer=user)


def visible_actions(actor: Actor) -> Q:
    """Return the bulk actions that the actor may see: their own, or all for an administrator."""
    return Q() if actor.may(Scope.ADMIN) else Q(actor=actor.user)


def require_undo(actor: Actor, bulk: BulkAction, scope: Scope) -> None:
    """Raise PermissionDenied unless the actor may undo the action, which needed `scope`."""
    actor.require(scope)
    if not actor.is_user(bulk.actor_id) and not actor.may(Scope.ADMIN):
        raise PermissionDenied("Only whoever did it, or an administrator, can undo it.")


def readable_releases(actor: Actor) -> QuerySet[Release]:
    """Return the releases that the actor may read; a stranger's are the public ones, once they are done."""
    releases = Release.objects.select_related("stored_publication")
    if actor.may(Scope.CURATE):
        return releases
    if actor.user is None or not actor.may(Scope.READ):
        return releases.filter(stored_publication__visibility=Visibility.PUBLIC, state=JobState.DONE)
    private = Publication.objects.filter(visibility=Visibility.PRIVATE)
    hidden = private.exclude(release__created_by=actor.user).exclude(
        pk__in=Publication.objects.filter(readers=actor.user)
    )
    return releases.exclude(pk__in=hidden.values("release_id"))


def require_new_token(actor: Actor, owner_id: int) -> None:
    """Raise PermissionDenied for a token that creates tokens: a leaked one would outlive its revocation."""
    if actor.token is not None:
        raise PermissionDenied("A token cannot make tokens: sign in, and make it on your account's page.")
    if actor.user is not None and not actor.is_user(owner_id):
        raise PermissionDenied("A token is made by the account that it acts for.")


def require_token(actor: Actor, token: ApiToken) -> None:
    if not actor.is_user(token.user_id) and not actor.may(Scope.ADMIN):
        raise PermissionDenied("Only its owner or an administrator may revoke a token.")
