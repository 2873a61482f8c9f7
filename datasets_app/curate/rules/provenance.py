"""Rules by provenance: source, licence, generator, language."""

from datasets_app.curate.parameters import Choices, Names
from datasets_app.curate.row import Row
from datasets_app.curate.rule import RowRule
from datasets_app.models.licence import parts

LANGUAGES = (
    *(("cuda", "CUDA"), ("cpp", "C++"), ("triton", "Triton"), ("python", "Python")),
    *(("hip", "HIP"), ("sass", "SASS")),
)
NO_LICENCE = "none declared"


class Source(RowRule):
    name = "source"
    title = "Source"
    phrase = "Source is {sources}"
    explains = "Keeps samples of these sources only."
    parameters = (Names(name="sources", title="Sources", default=[], known="sources"),)

    def refuses(self, row: Row) -> str:
        return "" if row.source in self["sources"] else "source not in the list"


class Licence(RowRule):
    name = "licence"
    title = "Licence"
    phrase = "Licence is {licences}"
    explains = (
        "Keeps samples whose licences are all among these: that of the source, and that of the program where it has "
        f"its own; “{NO_LICENCE}” stands for an empty one."
    )
    parameters = (Names(name="licences", title="Licences", default=[], known="licences"),)

    def refuses(self, row: Row) -> str:
        own = set(parts(row.licence)) or {NO_LICENCE}
        return "" if own <= set(self["licences"]) else "licence not in the list"


class Generator(RowRule):
    name = "generator"
    title = "Generator"
    phrase = "Written by {generators}"
    explains = "Keeps samples that these models or people wrote."
    parameters = (Names(name="generators", title="Generators", default=[], known="generators"),)

    def refuses(self, row: Row) -> str:
        return "" if row.generator in self["generators"] else "generator not in the list"


class Language(RowRule):
    name = "language"
    title = "Language of the kernel"
    phrase = "Language is {languages}"
    explains = "Keeps kernels in these languages."
    parameters = (Choices(name="languages", title="Languages", default=["cuda"], choices=LANGUAGES),)

    def refuses(self, row: Row) -> str:
        if row.language in self["languages"]:
            return ""
        return f"written in {dict(LANGUAGES).get(row.language, row.language)}"
