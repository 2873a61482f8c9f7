"""Files that cost far more than their size suggests. Each function returns one; `full` is an attack's size.

The small ones exceed lowered budgets in the same places. Each takes at most a few MB to generate.
"""

from __future__ import annotations

import gzip
import io
import json
import pickle
import tarfile
import zipfile
from collections.abc import Callable

import zstandard

Content = Callable[[bool], bytes]
FILES: dict[str, Content] = {}
ROW = {"pytorch_code": "x", "kernel_code": "y", "reasoning": "z"}


def hostile(suffix: str) -> Callable[[Content], Content]:
    """Register a file under the function's name and this suffix."""

    def register(content: Content) -> Content:
        FILES[f"{content.__name__}{suffix}"] = content
        return content

    return register


def megabytes(full: bool, large: int) -> int:
    return (large if full else 2) * 2**20


def lines(full: bool) -> bytes:
    return b"a,b,c\n" * (3_000_000 if full else 300_000)


# --- Text -----------------------------------------------------------------------------------------------------------


@hostile(".csv")
def unclosed_quote(full: bool) -> bytes:
    return b'pytorch_code,kernel_code,reasoning\nx,"y,z\n' + lines(full)


@hostile(".csv.gz")
def unclosed_quote_packed(full: bool) -> bytes:
    return gzip.compress(b'pytorch_code,kernel_code,reasoning\nx,"y,z\n' + lines(full) * (20 if full else 1))


@hostile(".csv")
def rows_of_another_width(full: bool) -> bytes:
    return b"pytorch_code,kernel_code,reasoning,turn\n" + lines(full)


@hostile(".csv")
def hundred_thousand_columns(full: bool) -> bytes:
    return b",".join(b"c%d" % at for at in range(100_000)) + b"\n" + b"," * 99_999 + b"\n"


@hostile(".jsonl")
def newlines(full: bool) -> bytes:
    return b"\n" * megabytes(full, 10)


@hostile(".jsonl")
def one_line(full: bool) -> bytes:
    return b'{"pytorch_code": "' + b"x" * megabytes(full, 64)


@hostile(".jsonl.gz")
def one_line_packed(full: bool) -> bytes:
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=1) as file:
        file.write(b'{"pytorch_code": "')
        for _ in range(1024 if full else 20):
            file.write(b"x" * 2**20)
    return packed.getvalue()


@hostile(".json")
def array_never_closed(full: bool) -> bytes:
    return b"[" + b'{"pytorch_code": [1, 2, 3]},' * (1_000_000 if full else 10_000)


@hostile(".jsonl")
def nested_deep(full: bool) -> bytes:
    return b'{"pytorch_code": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"


@hostile(".json")
def array_nested_deep(full: bool) -> bytes:
    return b'[{"pytorch_code": ' + b'{"a":' * 100_000


@hostile(".jsonl")
def odd_json(full: bool) -> bytes:
    rows = [
        b'{"pytorch_code": NaN, "kernel_code": Infinity, "reasoning": 1e999}',
        b'{"pytorch_code": "a", "pytorch_code": "b", "kernel_code": "\\ud800", "reasoning": "\\u0000"}',
        b'{"\\udfff": 1, "pytorch_code": 123456789012345678901234567890}',
    ]
    return b"\n".join(rows * (10_000 if full else 10)) + b"\n"


@hostile(".jsonl")
def utf16(full: bool) -> bytes:
    return json.dumps(ROW).encode("utf-16")


@hostile(".jsonl")
def nuls(full: bool) -> bytes:
    return b'{"pytorch_code": "' + b"\x00" * megabytes(full, 10) + b'"}\n'


@hostile(".jsonl")
def only_nuls(full: bool) -> bytes:
    return b"\x00" * megabytes(full, 10)


@hostile(".jsonl")
def many_empty_objects(full: bool) -> bytes:
    return b"{}\n" * (2_000_000 if full else 50_000)


# --- Compressed -----------------------------------------------------------------------------------------------------


@hostile(".jsonl.gz")
def gzip_bomb(full: bool) -> bytes:
    return gzip.compress(b"{}\n" + b"\n" * ((356 if full else 20) * 2**20), 9)


@hostile(".gz")
def gzip_in_gzip(full: bool) -> bytes:
    return gzip.compress(gzip.compress(gzip.compress(b"x" * megabytes(full, 100), 9), 9), 9)


@hostile(".jsonl.zst")
def zstd_bomb(full: bool) -> bytes:
    return zstandard.compress((json.dumps(ROW).encode() + b"\n") * (10_000_000 if full else 500_000), 3)


@hostile(".zst")
def zstd_wide_window(full: bool) -> bytes:
    """Return a frame that requests a window of 2 GB."""
    return b"\x28\xb5\x2f\xfd" + b"\x00" + bytes([(31 - 10) << 3]) + b"\x01\x00\x00"


@hostile(".jsonl.gz")
def gzip_truncated(full: bool) -> bytes:
    return gzip.compress(b"".join(json.dumps({**ROW, "turn": n}).encode() + b"\n" for n in range(5000)))[
        :-500
    ]


@hostile(".jsonl.gz")
def gzip_with_a_tail(full: bool) -> bytes:
    return gzip.compress(json.dumps(ROW).encode() + b"\n") + b"garbage" * 1000


@hostile(".jsonl.gz")
def gzip_of_many_members(full: bool) -> bytes:
    return gzip.compress(json.dumps(ROW).encode() + b"\n") * (50_000 if full else 2_000)


# --- Something else -------------------------------------------------------------------------------------------------


@hostile(".jsonl")
def a_pickle(full: bool) -> bytes:
    return pickle.dumps([ROW] * 100)


@hostile(".zip")
def a_zip_of_zeros(full: bool) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(1, 51 if full else 4):
            archive.writestr(f"level1/{number}_Zeros.py", b"\x00" * megabytes(full, 20))
    return packed.getvalue()


@hostile(".tar")
def a_tar_that_climbs(full: bool) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ("../../level1/1_Up.py", "/level1/2_Root.py"):
            archive.addfile(tarfile.TarInfo(name), io.BytesIO())
        link = tarfile.TarInfo("level1/3_Link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return packed.getvalue()


# Names that a browser may send with a file.
NAMES = [
    "\x1b[31mred\x1b[0m.jsonl",
    "invoice\u202elnosj.exe",
    "../../../etc/cron.d/x.jsonl",
    "a" * 5_000 + ".jsonl",
    "'; DROP TABLE x; --.jsonl",
]
