"""Compares streaming of a JSON array of large rows: ours and ijson's, on the same file and damage."""

import io
import itertools
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import ijson

from benchmarks._triples import Maker
from benchmarks.libraries import compare, import_cost, set_up_django

set_up_django()

from datasets_app.ingest.text_tables import array_items  # noqa: E402

ROWS = 8000
Reader = Callable[[BinaryIO], Iterator[Any]]


def by_ijson(stream: BinaryIO) -> Iterator[Any]:
    return ijson.items(stream, "item", use_float=True)


MEMORY_BYTES = 2**31  # a small file can make a reader use all memory
READERS: dict[str, Reader] = {"ours": array_items, "ijson": by_ijson}
DAMAGE = {
    "breaks off": b'[{"a": 1}, {"a": ',
    "NaN": b'[{"a": NaN}]',
    "an integer of 70 bits": b'[{"a": 1180591620717411303424}]',
    "a half surrogate": b'[{"a": "\\ud800"}]',
    "a byte that is not UTF-8": b'[{"a": "\xff"}, {"a": 2}]',
    "a byte order mark": b'\xef\xbb\xbf[{"a": 1}]',
    "nested 100,000 deep": b'[{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}]",
    "a row of 64 MB": b'[{"a": "' + b"x" * 2**26 + b'"}]',
}


def filled(folder: str) -> Path:
    path = Path(folder) / "rows.json"
    with path.open("w") as file:
        file.write("[\n")
        for number, row in enumerate(Maker(1, 12).rows(range(ROWS))):
            file.write((",\n" if number else "") + json.dumps(row))
        file.write("]")
    return path


def count(reader: Reader, path: Path) -> int:
    with path.open("rb") as stream:
        return sum(1 for _ in reader(stream))


def fate(reader: Reader, data: bytes) -> str:
    rows = []
    try:
        rows += itertools.islice(reader(io.BytesIO(data)), 10)
    except Exception as error:
        return f"{len(rows)} rows, then {type(error).__name__}: {error}"[:110].replace("\n", " ")
    return f"{len(rows)} rows, {rows[0]!r}"[:110]


def peak(name: str, path: str) -> None:
    """Print the memory, in MB, that reading the file added; runs in a separate process."""
    before = highest_mb()
    count(READERS[name], Path(path))
    print(round(highest_mb() - before, 1))


def highest_mb() -> float:
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    if len(sys.argv) == 3:
        peak(*sys.argv[1:])
        return
    with tempfile.TemporaryDirectory() as folder:
        path = filled(folder)
        print(f"{ROWS:,} rows, {path.stat().st_size / 2**20:.0f} MB; ijson's backend is {ijson.backend}")
        with path.open("rb") as file, path.open("rb") as other:
            assert all(a == b for a, b in zip(array_items(file), by_ijson(other), strict=True))
        compare({name: lambda reader=reader: count(reader, path) for name, reader in READERS.items()})
        for name in READERS:
            command = [sys.executable, "-m", "benchmarks.libraries.json_arrays", name, str(path)]
            print(f"  {name:<44} peak {subprocess.check_output(command, text=True).strip()} MB")
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    for what, data in DAMAGE.items():
        for name, reader in READERS.items():
            print(f"  {what:<26} {name:<6} {fate(reader, data)}")
    import_cost("ijson")


if __name__ == "__main__":
    main()
