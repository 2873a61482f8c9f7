"""The recipe, with two versions, and the release of the filled site."""

from typing import Any

from datasets_app.accounts.actor import Actor
from datasets_app.curate import freeze, recipes
from datasets_app.curate.definition import parse
from datasets_app.export.finish import finish_files
from datasets_app.models import Recipe, Release

SPLITS = {"train": 60, "validation": 20, "test": 20}
PASSED: dict[str, Any] = {"version": 1, "seed": 3, "rules": [{"rule": "outcome"}], "splits": SPLITS}


def compose_recipe(actor: Actor) -> Recipe:
    """Save a recipe, and a second version of it."""
    words = {"name": "short-and-fast", "title": "Short traces of fast kernels"}
    trace = {"rule": "trace_tokens", "maximum": 4000}
    cap = {"rule": "cap_each", "of": "kind", "most": 2}
    made = recipes.save(actor, {"rules": [{"rule": "has_trace"}, trace], "seed": 7}, **words)
    shorter = [{**trace, "maximum": 2000}, cap]
    return recipes.save(
        actor,
        {"rules": shorter, "seed": 7},
        recipe=made,
        message="Half the length, and no kind crowds out",
        **words,
    )


def release_them(actor: Actor) -> Release:
    """Freeze a release and write its files."""
    made = freeze.create(
        actor, name="first", definition=parse(PASSED), recipe_name="test", title="The first one"
    )
    freeze.run_freeze(made.pk)
    finish_files(made)
    return made
