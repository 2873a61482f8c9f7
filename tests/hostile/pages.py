"""Rows with a text of the corpus, and the pages that show it."""

from typing import Any

from tests.hostile.programs import MODEL
from tests.hostile.texts import HostileText
from tests.ingest.conftest import workbench_row

LARGEST_PAGE_BYTES = 5_000_000
SHORT = {
    "program": MODEL,
    "trace": "It uses shared memory.\n",
    "kernel": "class ModelNew:\n    pass\n",
}
# The entries that `make test` opens: one that cannot be analysed, one of very many lines, one of very many parts. The
# others are long tests.
FIRST = {"kernel-template_angles_never_closed", "program-lines", "trace-fences"}


def rows_of(entry: HostileText) -> list[dict[str, Any]]:
    """Return a row with the text, and another one to compare with."""
    texts = {**SHORT, entry.column: entry.make()}
    return [
        workbench_row(
            number,
            pytorch_code=texts["program"],
            reasoning=texts["trace"],
            kernel_code=texts["kernel"] + f"# {number} of {entry}\n",
            generator=f"{entry}/{number}",
        )
        for number in (1, 2)
    ]


def main_addresses(sample: Any, other: Any, task: Any) -> list[str]:
    """Return the pages that show a text: one of each kind."""
    page = f"/samples/{sample}/"
    return [
        *(page, f"{page}?line=900000&program_line=900000&segment=900000", f"{page}reading/"),
        *(f"{page}?against={other}", f"/tasks/{task}/", f"/review/{sample}/"),
    ]


def addresses(sample: Any, other: Any, task: Any) -> list[str]:
    """Return every page that shows a text."""
    page = f"/samples/{sample}/"
    return [
        *main_addresses(sample, other, task),
        *(f"{page}?whole=yes", f"{page}lines/?line=5000", f"{page}lines/?of=program&line=5000"),
        *(f"{page}lines/?of=trace&segment=2", f"{page}?against={other}&of=trace"),
        *(
            f"{page}?against=reference",
            f"{page}?against=operators",
            f"{page}operators/",
            f"{page}?against={other}&row=4000",
        ),
        *(f"/tasks/{task}/?program_line=900000", "/browse/?q=shared", "/browse/?code=ModelNew"),
        f"/api/v1/samples/{sample}/",
    ]
