"""The verbs of this layer. Verifying is registered by eval_app."""

from datasets_app.bulk.verb import register
from datasets_app.bulk.verbs.assigning import Assign, Unassign
from datasets_app.bulk.verbs.exporting import ExportSamples
from datasets_app.bulk.verbs.listing_in_recipe import ListInRecipe
from datasets_app.bulk.verbs.tagging import TagSamples, UntagSamples
from datasets_app.bulk.verbs.undoing import Undo


def register_all() -> None:
    """Register all verbs; called once, when the applications are ready."""
    for verb in (TagSamples(), UntagSamples(), Assign(), Unassign(), ListInRecipe(), ExportSamples(), Undo()):
        register(verb)
