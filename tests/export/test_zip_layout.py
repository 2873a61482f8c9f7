"""Tests that the bytes around a zip file's members are those of the format, also beyond what 32 bits hold."""

import io
import zipfile
import zlib
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from datasets_app.export.zip_layout import Member, layout

MOMENT = datetime(2026, 11, 23, 18, 40, 2, tzinfo=UTC)
GIB = 2**30


def member(name: str, content: bytes) -> Member:
    return Member(name, len(content), zlib.crc32(content), content)


def joined(members: list[Member]) -> bytes:
    return b"".join(part.content if isinstance(part, Member) else part for part in layout(members, MOMENT))


@given(
    st.dictionaries(
        st.text(st.characters(exclude_characters="\\\0", exclude_categories=["Cs"]), min_size=1).filter(
            lambda name: not name.endswith("/")
        ),
        st.binary(),
        max_size=8,
    )
)
def test_zipfile_reads_back_each_member(contents):
    made = zipfile.ZipFile(io.BytesIO(joined([member(*one) for one in contents.items()])))
    assert made.testzip() is None
    assert {info.filename: made.read(info) for info in made.infolist()} == contents


def test_members_are_plain_files_of_one_time():
    [info] = zipfile.ZipFile(io.BytesIO(joined([member("a/b.txt", b"x")]))).infolist()
    assert info.date_time == (2026, 11, 23, 18, 40, 2)
    assert info.external_attr >> 16 == 0o100644
    assert info.compress_type == zipfile.ZIP_STORED


class Sparse(io.RawIOBase):
    """A file of parts, of which those without bytes read as zeros and take no room."""

    def __init__(self, parts):
        self.parts, self.position, end = [], 0, 0
        for part in parts:
            size = part.size_bytes if isinstance(part, Member) else len(part)
            self.parts.append((end, size, None if isinstance(part, Member) else part))
            end += size
        self.size = end

    def seekable(self):
        return True

    def tell(self):
        return self.position

    def seek(self, offset, whence=io.SEEK_SET):
        self.position = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self.position, io.SEEK_END: self.size}[whence]
        return self.position

    def read(self, count=-1):
        end = self.size if count < 0 else min(self.size, self.position + count)
        found = b""
        for start, size, part in self.parts:
            first, last = max(start, self.position), min(start + size, end)
            if first < last:
                found += part[first - start : last - start] if part else bytes(last - first)
        self.position = end
        return found


def test_sizes_and_places_beyond_32_bits_are_read_back():
    members = [
        Member("large", 5 * GIB, 1, b""),
        Member("of the last size that 32 bits hold", 2**32 - 2, 2, b""),
        Member("of the first that they do not", 2**32 - 1, 3, b""),
        Member("far", 10, 4, b""),
    ]
    made = zipfile.ZipFile(Sparse(layout(members, MOMENT)))
    infos = made.infolist()
    assert [(one.filename, one.file_size, one.CRC) for one in infos] == [
        (one.name, one.size_bytes, one.crc32) for one in members
    ]
    assert infos[0].header_offset == 0
    assert infos[3].header_offset > 13 * GIB
    for info in infos:
        made.open(info).close()  # reads the local header, and compares its name


def test_more_members_than_16_bits_count_are_read_back():
    names = [str(number) for number in range(2**16)]
    made = zipfile.ZipFile(io.BytesIO(joined([member(name, b"") for name in names])))
    assert made.namelist() == names
