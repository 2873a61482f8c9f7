"""Tags that people put on samples: the lists of a recipe are tags, too."""

from datasets_app.curate.parameters import Choice, Names
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule


class HasTag(RowRule):
    name = "has_tag"
    title = "Tags"
    phrase = "Samples {having} the tags {tags}"
    explains = (
        "Keeps samples that people tagged, or leaves them out. To list single samples, tag them on the "
        "browse page."
    )
    parameters = (
        Choice(
            name="having",
            title="Keep those",
            default="some",
            choices=(("some", "with one of"), ("none", "with none of")),
        ),
        Names(name="tags", title="Tags", default=[], known="tags"),
    )
    needs = frozenset({"tags"})

    def refuses(self, row: Row) -> str:
        met = sorted(row.tags.intersection(self["tags"]))
        if self["having"] == "none":
            return f"tagged {met[0]}" if met else ""
        return "" if met else "has no such tag"
