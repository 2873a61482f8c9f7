"""README.md of a release: what the Hugging Face tools read at its head, and what a person wants to know below."""

from __future__ import annotations

import json
from typing import Any

from datasets_app.export import configs, training
from datasets_app.export.bins import counted
from datasets_app.export.columns import COLUMNS
from datasets_app.models import Export, Publication, Release

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
MATCHES_SHOWN = 100
BAR = 20  # characters
METHOD_WORDS = {
    "listed": "one of the benchmark's tasks",
    "exact": "same program",
    "near": "nearly the same program",
    "operators": "same operators",
}
COUNT_TITLES = (
    ("reason", "Chosen by"),
    ("kind", "Kind of task"),
    ("difficulty", "Difficulty"),
    ("trace_tokens", "Trace length in tokens"),
    ("speedup_over_eager", "Measured speedup"),
    ("language", "Language"),
    ("source", "Source"),
    ("licence", "Licence"),
    ("generator", "Generator"),
    ("outcome", "Outcome"),
    ("profile", "Profile"),
    ("verdict", "Verdict"),
)


def text(release: Release, files: list[Export]) -> str:
    return "\n".join(["---", *head(release, files), "---", *body(release, files)]) + "\n"


def quoted(value: Any) -> str:
    """Return the value quoted as JSON, which is YAML, so that no title can break the head."""
    return json.dumps(value, ensure_ascii=False)


def licences(release: Release) -> list[str]:
    return sorted(release.counts.get("licence", {}))


def head(release: Release, files: list[Export]) -> list[str]:
    return [
        f"pretty_name: {quoted(release.title or release.name)}",
        *licence_lines(licences(release)),
        "language: [en]",
        "tags: [cuda, code, reasoning]",
        "task_categories: [text-generation]",
        f"size_categories: [{quoted(size_category(release.row_count))}]",
        "annotations_creators: [expert-generated, machine-generated]",
        *configs.card_lines(release, files),
    ]


def licence_lines(names: list[str]) -> list[str]:
    if len(names) == 1 and names[0]:
        return [f"license: {names[0].lower()}"]
    return ["license: other", "license_name: several", "license_link: LICENSE"]


def size_category(rows: int) -> str:
    return next((word for bound, word in SIZES if rows < bound), "1M<n<10M")


def body(release: Release, files: list[Export]) -> list[str]:
    prose = Publication.of(release).prose
    return [
        f"# {release.title or release.name}",
        "",
        *warning_lines(release),
        *([prose, ""] if prose else []),
        f"{release.row_count:,} PyTorch / reasoning / kernel triples over {release.task_count:,} tasks, chosen by "
        f"the recipe `{release.recipe_name}`{recipe_version(release)} (recipe.json) and frozen "
        f"{release.finished_at:%Y-%m-%d}.",
        "",
        *([release.split_report["sentence"], ""] if release.split_report else []),
        evidence_sentence(release.device),
        "",
        f"Content SHA-256 `{release.content_sha256}` over ids, splits, reasons and snapshots in order.",
        "",
        *section("Splits", ("split", "rows"), release.splits),
        *section("Files", ("file", "rows", "bytes"), ((f.path, f.records, f.size_bytes) for f in files)),
        *funnel_section(release),
        *decontamination_section(release),
        *(
            line
            for name, title in COUNT_TITLES
            for line in section(title, (title.lower(), "rows", ""), with_bars(counted(release, name)))
        ),
        *section("Columns", ("column", "type", "means"), ((c.name, c.type, c.means) for c in COLUMNS)),
        *section("Versions", ("what", "version"), release.versions.items()),
        *training.card_lines(release, files),
        "## Load it",
        "",
        "From the site, with `HF_ENDPOINT` set to its address (and `HF_TOKEN` to a token, unless it is public), or "
        "from a downloaded folder:",
        "",
        "```python",
        "from datasets import load_dataset",
        "",
        f'rows = load_dataset("{release.hub_id}")',
        'rows = load_dataset("path/to/this/folder")',
        "```",
        "",
        "A measured speedup is over eager PyTorch on that device; a claimed one is the source's word.",
    ]


def warning_lines(release: Release) -> list[str]:
    """Return why the release should not be used, and what to use instead; empty if it stands."""
    publication = Publication.of(release)
    lines = []
    if publication.yanked_at:
        reason = " ".join(publication.yank_reason.split())
        lines += [f"> **Yanked on {publication.yanked_at:%Y-%m-%d}.** {reason}", ">"]
    if publication.superseded_by:
        lines += [f"> Superseded by `{publication.superseded_by.hub_id}`: use that release instead.", ">"]
    return [*lines[:-1], ""] if lines else []


def recipe_version(release: Release) -> str:
    return f", version {release.recipe_version}" if release.recipe_version else ""


def evidence_sentence(device: str) -> str:
    if not device:
        return "Nothing was verified when it was frozen: outcomes and measured speedups are empty."
    return (
        f"Outcomes and measured speedups are of one device, {cell(device)}; the column `verification` names the run "
        "behind each row."
    )


def with_bars(counts: list[tuple[str, int]]) -> list[tuple[str, int, str]]:
    """Return names and counts with a bar of characters each, the largest of BAR."""
    most = max((rows for _, rows in counts), default=0)
    return [(name or "none", rows, "█" * round(BAR * rows / most)) for name, rows in counts]


def funnel_section(release: Release) -> list[str]:
    lines = [
        (step["sentence"], step["rows_in"], step["rows_out"], step["tasks_out"]) for step in release.funnel
    ]
    return section("Funnel", ("rule", "rows in", "rows out", "tasks out"), lines)


def decontamination_section(release: Release) -> list[str]:
    """Return what was dropped for being like a benchmark's task, and why; empty if no rule looked."""
    lines: list[str] = []
    for report in release.decontamination:
        tasks = report["tasks"][:MATCHES_SHOWN]
        more = f"; the first {len(tasks):,} are below" if report["task_count"] > len(tasks) else ""
        lines += [
            f"Rule {report['rule']}, {report['sentence']}: {report['task_count']:,} tasks with "
            f"{report['row_count']:,} rows were dropped{more}.",
            "",
            *section(
                f"Dropped by rule {report['rule']}",
                ("task", "because", "benchmark's task", "similarity", "rows"),
                (
                    (
                        task["task"],
                        METHOD_WORDS[task["method"]],
                        task["against"],
                        "" if task["similarity"] is None else f"{task['similarity']:.2f}",
                        task["rows"],
                    )
                    for task in tasks
                ),
                level=3,
            ),
        ]
    return ["## Decontamination", "", *lines] if lines else []


def section(title: str, columns: tuple[str, ...], rows: Any, level: int = 2) -> list[str]:
    """Return a Markdown table under a heading; empty without rows."""
    lines = [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]
    rule = f"| {' | '.join('---' for _ in columns)} |"
    return [f"{'#' * level} {title}", "", f"| {' | '.join(columns)} |", rule, *lines, ""] if lines else []


def cell(value: Any) -> str:
    words = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return words.replace("|", "\\|").replace("\n", " ")


def licence_note(release: Release) -> str:
    """Return the section on licences: rows keep the licences of their sources."""
    counts = release.counted("licence")
    lines = [f"{rows:>8,} rows  {name or 'no licence declared'}" for name, rows in counts]
    return "\n".join(
        [
            f"The rows of {release.name} keep the licences of their sources, named in the column `licence`:",
            "",
            *lines,
            "",
            "A row whose source declares no licence gives no right to use it beyond what the law gives.",
            "",
        ]
    )
