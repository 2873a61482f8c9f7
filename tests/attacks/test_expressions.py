"""Tests that no regular expression that meets submitted text takes more than linear time.

What analyses programs, traces and kernels runs in a child with a deadline (datasets_app/bounded/, tests/hostile/). The
expressions here run without one: in site processes and in jobs, where a long match holds up every thread.
"""

import importlib
import os
import pkgutil
import re
import resource
from functools import cache
from pathlib import Path

import concur_site
import datasets_app
import eval_app

ROOT = Path(__file__).parents[2]
# Run in children with a deadline, or never on what was submitted.
NOT_HERE = (
    "migrations",
    "demo_pack",
    "management",
    "engine",
    "syntax",
    "traces",
    "similarity",
    "highlight",
    "panes",
)
CHARACTERS, CPU_SECONDS = 40_000, 2
# Expressions that take quadratic time, and what bounds their texts.
SHORT = {
    "datasets_app.browse.query.completion.BEGUN": "a line to complete has at most 2,000 characters",
    "datasets_app.browse.query.completion.WORD": "as above",
    "datasets_app.export.viewer.where.TOKEN": "a filter has at most 1,000 characters",
    "datasets_app.review.rubric.definition.NAME": "a name has at most 40 characters",
    "eval_app.pages.kernel_lines.NAME": "of a finding's detail, 4,000 characters are read",
}
PUMPS = [
    "a",
    " ",
    "\t",
    "\n",
    " \n",
    '"',
    "'",
    "\\",
    '"\\',
    "/*",
    "//",
    "<",
    "(",
    "[",
    "{",
    "#",
    "_",
    "-",
    ".",
    "1",
    ":",
]
PUMPS += [
    "a ",
    "a.",
    "1.",
    "a,",
    "a_",
    "aA",
    "A",
    "é",
    "=",
    "`",
    "~~~",
    "```\n",
    "*/",
    "?",
    "! ",
    "@a",
    '-a:"',
    "1..",
    "%(",
]
LITERAL = re.compile(r"[A-Za-z_<>#@\"'`:./*-]{2,20}")
SEARCHES = "search|finditer|findall|sub|subn|split|scanner"


def modules():
    for root in (concur_site, datasets_app, eval_app):
        for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
            if not any(part in NOT_HERE for part in found.name.split(".")):
                yield importlib.import_module(found.name)


def patterns_in(value, path):
    if isinstance(value, re.Pattern):
        yield path, value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from patterns_in(inner, f"{path}[{key!r}]")
    elif isinstance(value, list | tuple):
        for at, inner in enumerate(value):
            yield from patterns_in(inner, f"{path}[{at}]")


def expressions():
    """Return every compiled expression of these modules, by its name."""
    found = {}
    for module in modules():
        for name, value in vars(module).items():
            for path, pattern in patterns_in(value, f"{module.__name__}.{name}"):
                if pattern not in found.values():
                    found[path] = pattern
    return found


@cache
def searched():
    """Return the names of what is looked for within a text anywhere, and not only at its beginning."""
    call = re.compile(rf"\b(\w+)(?:\[\w+\])?\.(?:{SEARCHES})\b")
    return {
        name
        for app in (concur_site, datasets_app, eval_app)
        for path in Path(app.__path__[0]).rglob("*.py")
        for name in call.findall(path.read_text())
    }


def is_searched(name):
    return name.partition("[")[0].rpartition(".")[2] in searched()


def attack(pattern, searched):
    """Match the expression against long texts of every piece that it may be made of; the end fits nothing."""
    is_bytes = isinstance(pattern.pattern, bytes)
    words = LITERAL.findall(pattern.pattern.decode("latin-1") if is_bytes else pattern.pattern)
    for pump in {*PUMPS, *words, *(f"{word} " for word in words), *(f"{word}(" for word in words)}:
        text = (pump * CHARACTERS)[:CHARACTERS] + "\x01"
        given = text.encode("latin-1", "replace") if is_bytes else text
        pattern.match(given)
        pattern.fullmatch(given)
        if searched:
            pattern.search(given)


def slow_among(patterns):
    """Return the names of the patterns whose attack does not end in time; `patterns`: {name: (pattern, searched)}.

    A match holds the interpreter, so that only a process can be ended. One process attacks all, and is followed by
    another one where it is ended; each pattern has its own time.
    """
    slow, waiting = [], list(patterns)
    while waiting:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            for name in waiting:
                used = resource.getrusage(resource.RUSAGE_SELF)
                limit = int(used.ru_utime + used.ru_stime) + 1 + CPU_SECONDS
                resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
                attack(*patterns[name])
                os.write(writing, b".")
            os._exit(0)
        os.close(writing)
        with open(reading, "rb") as progress:
            done = len(progress.read())
        ended_well = os.waitpid(child, 0)[1] == 0
        assert ended_well == (done == len(waiting))
        slow += waiting[done : done + 1]
        waiting = waiting[done + 1 :]
    return slow


def test_no_expression_takes_more_than_linear_time():
    found = expressions()
    assert len(found) > 50
    assert set(SHORT) <= set(found)
    assert not slow_among(
        {name: (pattern, is_searched(name)) for name, pattern in found.items() if name not in SHORT}
    )


def test_the_attack_finds_an_expression_that_takes_quadratic_time():
    slow, quick = (re.compile(rf"\A\s{plus}(.*?)</think>", re.DOTALL) for plus in ("*", "*+"))
    assert slow_among({"a": (quick, False), "b": (slow, False), "c": (quick, False)}) == ["b"]
