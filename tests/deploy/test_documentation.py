"""Tests the documentation: it builds without a warning, needs no network, and its commands do what they say."""

import json
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, get_commands, load_command_class

from tests.live import ROOT

DOCS = ROOT / "docs"
SITE = "http://127.0.0.1:8000"
PAGES = ["install", "operate", "annotate", "curate", "download", "api"]


@pytest.mark.long
def test_it_builds_whole_and_loads_nothing_from_elsewhere(tmp_path):
    built = tmp_path / "html"
    options = ["-W", "--keep-going", "-q", "-b", "html", "-d", str(tmp_path / "doctrees")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, str(DOCS), str(built)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    sources = sorted(path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md"))
    index = json.loads(
        (built / "searchindex.js").read_text().removeprefix("Search.setIndex(").removesuffix(")")
    )
    assert sorted(index["docnames"]) == sources
    for page in built.rglob("*.html"):
        text = page.read_text()
        assert not re.findall(r"""<(?:script|img|iframe)[^>]*\ssrc=["'](?:https?:)?//""", text), page
        assert not re.findall(r"""<link[^>]*rel="stylesheet"[^>]*href=["'](?:https?:)?//""", text), page


def blocks(page: str) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```$", (DOCS / f"{page}.md").read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return a folder that looks as a checkout does to the commands."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / ".venv").symlink_to(sys.prefix)
    (folder / "manage.py").symlink_to(ROOT / "manage.py")
    (folder / "backups").mkdir()
    return folder


@pytest.mark.long  # tests/site/test_first_release.py types another page's; the rest are looked up below
@pytest.mark.engine
@pytest.mark.xdist_group("live")
@pytest.mark.parametrize("page", PAGES)
def test_its_commands_do_what_they_say(demo_site, folder, page):
    script = "\n".join(["set -euo pipefail", *blocks(page)]).replace(SITE, demo_site.url)
    assert blocks(page)
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**demo_site.environment, "NO_PROXY": "*"},
        capture_output=True,
        text=True,
        timeout=900,  # an upper bound; only a busy machine needs this many
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    expected = {"operate": "is whole", "api": "results", "annotate": "", "download": "results"}
    assert expected.get(page, "") in done.stdout


FENCED = re.compile(r"^ *```(\S*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
DOCUMENTS = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md")), *sorted(DOCS.glob("*.md"))]
NO_COMMANDS = ("architecture.md",)  # its blocks are drawings
# First word of a command that is not run from a block marked `sh`: the test that runs it, or checks what it names.
RUN_BY = {
    **dict.fromkeys(
        (
            "apt-get",
            "echo",
            "manage",
            "manage()",
            "useradd",
            "git",
            "install",
            "cp",
            "systemctl",
            "docker",
            "journalctl",
        ),
        "tests/deploy/test_files.py",
    ),
    **dict.fromkeys(
        ("HOST", "SECRET_KEY", "DATABASE_PASSWORD", "BROKER_PASSWORD"), "tests/deploy/test_files.py"
    ),
    "honcho": "tests/deploy/test_procfile.py",
    **dict.fromkeys(("pip", ".venv/bin/pip", "concur-site"), "tests/deploy/test_wheel.py"),
    **dict.fromkeys(("pg_basebackup", "pg_ctl", "ALTER", "SELECT"), "tests/faults/test_failover.py"),
    "DATABASE_URL": "tests/faults/test_failover.py",
    "concur": "tests/clients/test_command_line.py",
    "make": "tests/faults/test_two_machines.py",
    "trl": "tests/export/test_trainers.py",
    **dict.fromkeys(
        ("hf", "export", "python", "/api/v1/releases/NAME/filter/?split=train"),
        "tests/export/test_hub_clients.py",
    ),
    "grep": "tests/site/logs/test_ids.py",
}

RUN_AS_THEY_ARE = ("ask", "ask()", "curl")  # in blocks marked `sh`, by the test above
LOOKED_AT = (
    ".venv/bin/python",
    "python",
    "manage.py",
)  # by the next test, and modules by tests/test_documents.py


def commands() -> Iterator[tuple[str, list[str]]]:
    """Yield the page and the words of each command in a block, without variables, redirections and what follows."""
    for page in DOCUMENTS:
        if page.name in NO_COMMANDS:
            continue
        for language, block in FENCED.findall(page.read_text()):
            if language not in ("", "sh"):
                continue
            plain = re.sub(r"(^|\s)#.*$", "", block, flags=re.MULTILINE).replace("\\\n", " ")
            for line in re.sub(r"'[^']*'", lambda quoted: quoted[0].replace("\n", " "), plain).splitlines():
                lexer = shlex.shlex(line.replace("$(", " "), posix=True, punctuation_chars=True)
                lexer.whitespace_split = True
                words = []
                for word in lexer:
                    if word[:1] in tuple("|>)&;"):
                        break
                    words.append(word)
                named = [at for at, word in enumerate(words) if not re.match(r"\w+=", word)]
                if named:
                    yield page.name, words[named[0] :]
                elif words and not words[0].startswith(
                    "CONCUR_"
                ):  # these are looked at by tests/test_documents.py
                    yield page.name, [words[0].partition("=")[0]]


def test_every_manage_command_takes_the_arguments_that_a_page_gives_it():
    faults, seen = [], 0
    for page, words in commands():
        if "manage.py" not in words[:2] or "--help" in words:
            continue
        name, *arguments = words[words.index("manage.py") + 1 :]
        command = load_command_class(get_commands()[name], name)
        seen += 1
        try:
            command.create_parser("manage.py", name).parse_args(arguments)
        except CommandError as error:
            faults.append(f"{page}: {' '.join(words)}: {error}")
    assert not faults
    assert seen > 25


def test_every_other_command_is_run_by_a_test():
    known = {*RUN_BY, *RUN_AS_THEY_ARE, *LOOKED_AT}
    assert {(page, words[0]) for page, words in commands() if words[0] not in known} == set()
    assert [path for path in RUN_BY.values() if not (ROOT / path).exists()] == []


def test_a_picture_is_of_a_state_that_the_browser_tests_take_and_missing_ones_leave_no_trace(tmp_path):
    from tests.browser.states.test_every_page import STATES

    conf = runpy.run_path(str(DOCS / "conf.py"))
    named = [name for page in DOCS.glob("*.md") for name in conf["PICTURE"].findall(page.read_text())]
    assert named
    assert set(named) <= set(STATES)
    text = "before\n<!-- picture: sample -->\nafter\n"
    assert conf["pictured"](text, tmp_path) == "before\n\nafter\n"
    (tmp_path / "sample-1440-light.png").touch()
    assert "![Sample](/pictures/sample-1440-light.png)" in conf["pictured"](text, tmp_path)
