"""The bytes of a zip file around its members, for members whose size and CRC-32 are known before they are read.

Nothing is compressed, so the place of each byte follows from the sizes alone. The format is PKWARE's APPNOTE 6.3.10,
sections 4.3.7 to 4.3.16; ZIP64 is used where a number does not fit, and only there.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

MOST_32, MOST_16 = 0xFFFFFFFF, 0xFFFF  # stand for "see the ZIP64 field"
VERSION, VERSION_64 = 20, 45  # needed to extract
UNIX = 3 << 8
UTF_8 = 0x800
STORED = 0
ZIP64_FIELD = 1
FILE_MODE = 0o100644 << 16


@dataclass(frozen=True)
class Member:
    name: str
    size_bytes: int
    crc32: int
    content: bytes | None  # None: of the stored file of that name

    @property
    def is_large(self) -> bool:
        return self.size_bytes >= MOST_32


def layout(members: Iterable[Member], moment: datetime) -> Iterator[bytes | Member]:
    """Yield the zip file's parts in order: bytes, or a member for its content. `moment` is every member's time."""
    stamp = dos_time(moment)
    directory, offset, count = bytearray(), 0, 0
    for member in members:
        header = local_header(member, stamp)
        directory += directory_entry(member, stamp, offset)
        yield header
        yield member
        offset += len(header) + member.size_bytes
        count += 1
    yield bytes(directory) + end(count, len(directory), offset)


def dos_time(moment: datetime) -> tuple[int, int]:
    """Return time and date as MS-DOS packs them, to two seconds."""
    return (
        moment.hour << 11 | moment.minute << 5 | moment.second // 2,
        (moment.year - 1980) << 9 | moment.month << 5 | moment.day,
    )


def local_header(member: Member, stamp: tuple[int, int]) -> bytes:
    extra = zip64_field(member.size_bytes, member.size_bytes) if member.is_large else b""
    return common_fields(b"PK\x03\x04", b"", member, stamp, extra) + member.name.encode() + extra


def directory_entry(member: Member, stamp: tuple[int, int], offset: int) -> bytes:
    sizes = [member.size_bytes] * 2 if member.is_large else []
    far = offset >= MOST_32
    extra = zip64_field(*sizes, *([offset] if far else [])) if sizes or far else b""
    made_by = struct.pack("<H", UNIX | VERSION_64)
    place = struct.pack("<3H2I", 0, 0, 0, FILE_MODE, MOST_32 if far else offset)
    head = common_fields(b"PK\x01\x02", made_by, member, stamp, extra)
    return head + place + member.name.encode() + extra


def common_fields(
    signature: bytes, made_by: bytes, member: Member, stamp: tuple[int, int], extra: bytes
) -> bytes:
    size = MOST_32 if member.is_large else member.size_bytes
    lengths = len(member.name.encode()), len(extra)
    version = VERSION_64 if extra else VERSION
    fields = (version, UTF_8, STORED, *stamp, member.crc32, size, size, *lengths)
    return signature + made_by + struct.pack("<5H3I2H", *fields)


def zip64_field(*numbers: int) -> bytes:
    return struct.pack(f"<2H{len(numbers)}Q", ZIP64_FIELD, 8 * len(numbers), *numbers)


def end(count: int, size_bytes: int, offset: int) -> bytes:
    """Return what follows the directory of `count` entries and `size_bytes` at `offset`."""
    ending = b""
    if count >= MOST_16 or size_bytes >= MOST_32 or offset >= MOST_32:
        fields = (44, UNIX | VERSION_64, VERSION_64, 0, 0, count, count, size_bytes, offset)
        ending = struct.pack("<4sQ2H2I4Q", b"PK\x06\x06", *fields)
        ending += struct.pack("<4sIQI", b"PK\x06\x07", 0, offset + size_bytes, 1)
    few = min(count, MOST_16)
    fields_32 = (0, 0, few, few, min(size_bytes, MOST_32), min(offset, MOST_32), 0)
    return ending + struct.pack("<4s4H2IH", b"PK\x05\x06", *fields_32)
