"""The lines of a candidate's program that its machine instructions were compiled from.

What is timed is built without line records, and stays so. The same device code is compiled once more with nvcc's
-lineinfo, and its records count for a function only if both compilations gave it the same instructions. Measured on 25
November 2026 with nvcc 13.0.88 for sm_90 on five CUDA kernels of the tests: all 1,144 instructions were the same, and
each had a line of the program. Triton records lines by itself, so that its own cubins are read.

Everything here derives from a candidate's text, which may contain #line directives: a record counts only if it names a
file that the engine wrote, and a line that this file has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eval_app.engine.contract.inspection import MAX_CODE_LINES
from eval_app.engine.inspect import machine_code, tools

# Extracts the cubins of a module, in a folder of the sandbox's own, and lists them with their records.
_LIST = (
    'dir=$(mktemp -d) && trap \'rm -rf "$dir"\' EXIT && cd "$dir" || exit 1; '
    'case "$3" in *.cubin) cp "$3" . ;; *) "$1" -xelf all "$3" >/dev/null ;; esac; '
    'for cubin in *.cubin; do "$2" --print-code --print-line-info-inline "$cubin"; done'
)
_SECTION = re.compile(r"\.text\.(\S{1,4000}):\s*$")
_RECORD = re.compile(
    r'\s*//## File "([^"\n]{0,4096})", line (\d{1,9})(?: inlined at "([^"\n]{0,4096})", line (\d{1,9}))?'
)
_ADDRESS = re.compile(r"\s*/\*([0-9a-f]{4,8})\*/\s*(\S.*)")
# nvcc gives functions without external linkage a name that depends on the file's path.
_PATH_HASH = re.compile(r"_GLOBAL__N__[0-9a-f]{8}_")
_FUNCTION = re.compile(r"\s*Function : (\S+)\s*$")
# Shorter lines, such as a brace, are placed by their neighbours alone.
_ANCHOR_CHARS = 4
# Bounds of what is read: far more than the records of a listing that a report can hold, and of one instruction.
_RECORDS_CHARS = 16 * 2**20
_DEEPEST_PLACES = 64

Place = tuple[str, int]
# Instructions, or the places that they come from with the innermost first, by address.
Instructions = dict[int, str]
Records = dict[int, list[Place]]


@dataclass(frozen=True)
class Recorded:
    """A module or cubin with line records, and the texts of the files that they may name, by the end of their path."""

    path: Path
    files: Mapping[str, str]


class NoLinesError(Exception):
    """No instruction has a line; the message says why."""


def source_lines(sass: str, modules: Sequence[Recorded], program: str, kind: str) -> list[int]:
    """Return for each line of the listing `sass` the line of the program, 0 for none.

    Raises NoLinesError, ToolMissingError if a tool is not installed or fails.
    """
    functions: dict[str, tuple[Instructions, dict[int, int]]] = {}
    for module in modules:
        placed = {name: placed_in(text, program) for name, text in module.files.items()}
        code = machine_code.disassembled(module.path, kind)
        records = parse_records(_listed(module.path, kind))
        for name, instructions in functions_of(code.split("\n")):
            at = {address: _line(chain, placed) for address, chain in records.get(name, {}).items()}
            functions.setdefault(_plain(name), (instructions, at))
    return _matched(sass.rstrip("\n").split("\n"), functions)


def _matched(listing: list[str], functions: dict[str, tuple[Instructions, dict[int, int]]]) -> list[int]:
    if len(listing) > MAX_CODE_LINES:
        raise NoLinesError(f"the listing has more than {MAX_CODE_LINES:,} lines")
    found: dict[str, dict[int, int]] = {}
    unlike = []
    for name, own in functions_of(listing):
        instructions, lines = functions.get(_plain(name), ({}, {}))
        # The last line of a listing that is too long for a report is cut.
        if all(instructions.get(address, "").startswith(text) for address, text in own.items()):
            found[name] = lines
        else:
            unlike.append(name)
    result, lines = [], {}
    for text in listing:
        if function := _FUNCTION.match(text):
            lines = found.get(function[1], {})
        address = _ADDRESS.match(text)
        result.append(lines.get(int(address[1], 16), 0) if address else 0)
    if not any(result):
        raise NoLinesError(
            f"compiled with line records, {unlike[0]} has other instructions"
            if unlike and functions
            else "the machine code has no records that name lines of the program"
        )
    return result


def functions_of(listing: list[str]) -> Iterator[tuple[str, Instructions]]:
    """Yield the functions of a listing with their instructions."""
    name, instructions = "", Instructions()
    for text in listing:
        if function := _FUNCTION.match(text):
            if name:
                yield name, instructions
            name, instructions = function[1], {}
        elif address := _ADDRESS.match(text):
            instructions[int(address[1], 16)] = address[2].rstrip()
    if name:
        yield name, instructions


def parse_records(text: str) -> dict[str, Records]:
    """Parse nvdisasm's listing with line records, by function: a record holds until the next one."""
    functions: dict[str, Records] = {}
    records: Records = {}
    chain: list[Place] = []
    is_open = False
    for line in text[:_RECORDS_CHARS].split("\n"):
        if section := _SECTION.match(line):
            records, chain, is_open = functions.setdefault(section[1], {}), [], False
        elif record := _RECORD.match(line):
            chain = chain if is_open else []
            if len(chain) < _DEEPEST_PLACES:
                chain = [*chain, *_places(record)]
            is_open = True
        elif address := _ADDRESS.match(line):
            records[int(address[1], 16)] = chain
            is_open = False
    return functions


def _places(record: re.Match[str]) -> list[Place]:
    inner, line, outer, outer_line = record.groups()
    return [(inner, int(line)), *([(outer, int(outer_line))] if outer else [])]


def _line(chain: list[Place], placed: Mapping[str, list[int]]) -> int:
    """Return the program's line of the innermost place that has one, 0 for none."""
    for path, line in chain:
        lines = next((found for name, found in placed.items() if path.endswith(f"/{name}")), [])
        if 0 < line <= len(lines) and lines[line - 1]:
            return lines[line - 1]
    return 0


def _plain(name: str) -> str:
    return _PATH_HASH.sub("_GLOBAL__N__", name)


def _listed(path: Path, kind: str) -> str:
    programs = [str(tools.find("cuobjdump")), str(tools.find("nvdisasm"))]
    readable = [str(path.parent), *(root for program in programs for root in tools.roots(program))]
    argv = [str(tools.find("sh")), "-c", _LIST, "sh", *programs, str(path)]
    output = tools.run(argv, kind=kind, readable=readable)
    return tools.expect(output, "nvdisasm")


def placed_in(text: str, program: str) -> list[int]:
    """Return for each line of a compiled file the line of the program that holds its text, 0 for none.

    A line that occurs once in both anchors its neighbours, as long as they are alike. Lines that the program's source
    has in another form (escapes, replacement fields) have no place.
    """
    own, others = ([line.strip() for line in whole.split("\n")] for whole in (text, program))
    once = {line for line, count in Counter(own).items() if count == 1 and len(line) >= _ANCHOR_CHARS}
    counts = Counter(others)
    at = {line: number for number, line in enumerate(others, 1) if line in once and counts[line] == 1}
    placed = [at.get(line, 0) for line in own]
    for numbers, step in ((range(1, len(own)), 1), (range(len(own) - 2, -1, -1), -1)):
        for number in numbers:
            near = placed[number - step] + step
            if (
                not placed[number]
                and near > step
                and 1 <= near <= len(others)
                and others[near - 1] == own[number]
            ):
                placed[number] = near
    return placed
