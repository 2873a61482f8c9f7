"""Tests that README, CONTRIBUTING and docs/ only name existing paths, modules, commands and variables."""

import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest
from django.core.management import get_commands

from concur_client.client import TOKEN_VARIABLE, URL_VARIABLE
from concur_site.variables import ABOUT

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [
    *(ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "clients/python/README.md"),
    *sorted((ROOT / "docs").rglob("*.md")),
]
ARCHITECTURE = ROOT / "docs" / "architecture.md"
APPS = ("concur_site", "datasets_app", "eval_app")
FOLDERS = (
    *APPS,
    "clients",
    "deploy",
    "templates",
    "static",
    "tests",
    "benchmarks",
    "docs",
    "requirements",
    ".ci",
)
SUFFIXES = ("yaml", "conf", "env", "timer", "service", "py", "md", "toml", "sh", "lock", "html", "css", "js")

FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\]\(([^)#:]+)\)")
PATH = re.compile(rf"\.?[\w-]+(/[\w.-]+)*(/|\.({'|'.join(SUFFIXES)}))")
FROM_THE_ROOT = re.compile(rf"(?<![\w./-])(?:{'|'.join(FOLDERS)})/[\w./-]*\w/?")
MODULE = re.compile(rf"({'|'.join(APPS)}|benchmarks)(\.\w+)+")
VARIABLE = re.compile(r"\bCONCUR_[A-Z_]+\b")
MANAGE = re.compile(r"manage\.py ([a-z]\w*)")
MAKE = re.compile(r"(?:^|`|\. )make ([a-z][\w-]*)", re.MULTILINE)
PYTHON = re.compile(r"python -m ([\w.]+)")
OF_THE_CLIENT = {URL_VARIABLE, TOKEN_VARIABLE}
ELSEWHERE = {
    "correct.toml",  # which the reader saves
    "logs/",
    "redis/",
    "inbox/",
    "uploads/",
    "exports/",
    "var/",
    "dist/",
    "concur-data/",
    "backups/",
    "deploy/tls/certificate.pem",
    "deploy/tls/key.pem",
    "deploy/.env",
    "logs/worker.log",
    "logs/sweeper.log",
}

each_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


@cache
def files() -> frozenset[str]:
    """Return the repository's files, each by its path from the root."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")]
    return frozenset(
        path.relative_to(ROOT).as_posix() for path in (*found, *ROOT.iterdir()) if path.is_file()
    )


def spans(document: Path) -> list[str]:
    """Return the texts between backticks outside of code blocks."""
    return SPAN.findall(FENCED.sub("", document.read_text()))


def exists(path: str) -> bool:
    """Return whether a file or a folder of the repository has this path, or one that ends with it."""
    wanted = path.removeprefix("./")
    if path.endswith("/"):
        return any(f"/{name}".find(f"/{wanted}") >= 0 for name in files())
    return any(f"/{name}".endswith(f"/{wanted}") for name in files())


def module_exists(name: str) -> bool:
    """Return whether a dotted name is a module, or something in one."""
    parts = name.split(".")
    return any(
        exists(f"{'/'.join(parts[:n])}{end}") for n in (len(parts), len(parts) - 1) for end in (".py", "/")
    )


@each_document
def test_paths_exist(document):
    paths = {span for span in spans(document) if PATH.fullmatch(span)} - ELSEWHERE
    assert [path for path in sorted(paths) if not exists(path)] == []
    full_paths = set(FROM_THE_ROOT.findall(document.read_text())) - ELSEWHERE
    assert [path for path in sorted(full_paths) if not (ROOT / path).exists()] == []


@each_document
def test_links_lead_to_files(document):
    assert [
        link for link in LINK.findall(document.read_text()) if not (document.parent / link).exists()
    ] == []


@each_document
def test_modules_exist(document):
    modules = {span for span in spans(document) if MODULE.fullmatch(span) and not PATH.fullmatch(span)}
    assert [name for name in sorted(modules) if not module_exists(name)] == []


@each_document
def test_commands_exist(document):
    text = document.read_text()
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(MANAGE.findall(text)) - set(get_commands()) == set()
    assert set(MAKE.findall(text)) - targets == set()
    assert [name for name in PYTHON.findall(text) if importlib.util.find_spec(name) is None] == []


@each_document
def test_variables_exist(document):
    assert set(VARIABLE.findall(document.read_text())) - set(ABOUT) - OF_THE_CLIENT == set()


def packages() -> list[str]:
    """Return the folders with an __init__.py that are not there for Django alone."""
    found = {Path(path).parent for path in files() if path.endswith("/__init__.py") and path.startswith(APPS)}
    for_django = {"management", "commands", "migrations", "templatetags"}
    return [f"{path}/" for path in sorted(found) if len(path.parts) > 1 and path.name not in for_django]


def test_every_package_has_its_line():
    listed = set(spans(ARCHITECTURE))
    assert [
        package for package in packages() if package not in listed and package != "datasets_app/browse/"
    ] == []


def steps(heading: str) -> list[str]:
    """Return the paths that the numbered list under a heading begins its items with."""
    section = ARCHITECTURE.read_text().partition(f"## Tour: {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\d+\. `([^`]+)`", section, re.MULTILINE)


@pytest.mark.parametrize(
    ("heading", "most"), [("from upload to download", 40), ("why did a verification time out", 6)]
)
def test_a_tour_names_each_file_once_and_is_short(heading, most):
    stops = steps(heading)
    assert 0 < len(stops) <= most
    assert len(set(stops)) == len(stops)
    assert [path for path in stops if not (ROOT / path).is_file()] == []
