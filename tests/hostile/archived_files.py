"""Archives, and numbers in texts, that cost far more than their size suggests; see files.py."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile

import pyarrow as pa

from tests.hostile.columnar_files import parquet, stream
from tests.hostile.files import ROW, hostile

PROGRAM = b"class Model:\n    pass\n"
KERNEL_PATH = "run/level_1_problem_1_sample_0_kernel.py"


def zipped(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def tarred(members: list[tuple[tarfile.TarInfo, bytes]], form: int = tarfile.PAX_FORMAT) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        for member, content in members:
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


@hostile(".zip")
def zip_in_a_zip(full: bool) -> bytes:
    content = b"\x00" * ((200 if full else 20) * 2**20)
    for _ in range(4):
        content = zipped({"level1/1_Again.py": content})
    return content


@hostile(".tar.gz")
def zip_in_a_tar(full: bool) -> bytes:
    inner = zipped({"level1/1_Zeros.py": b"\x00" * ((200 if full else 20) * 2**20)})
    return gzip.compress(tarred([(tarfile.TarInfo("level1/1_Zip.py"), inner)]))


@hostile(".zip")
def zip_with_a_name_of_digits(full: bool) -> bytes:
    """Return names that are no numbers any more: Python refuses to read more than 4,300 digits as one."""
    return zipped({f"level1/{number}_{'9' * 5_000}.py": PROGRAM for number in range(3)})


@hostile(".zip")
def zip_that_names_one_member_often(full: bool) -> bytes:
    """Let each of many entries of the directory lead to the same two megabytes of zeros, which are no program."""
    whole = zipped({"level1/1_Zeros.py": b"\x00" * (2 * 2**20)})
    start, end = whole.index(b"PK\x01\x02"), whole.rindex(b"PK\x05\x06")
    count = 60_000 if full else 300
    directory = whole[start:end] * count
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), start, 0)
    return whole[:start] + directory + tail


@hostile(".zip")
def zip_claiming_a_small_size(full: bool) -> bytes:
    """Say of 20 MB of zeros that they are one byte."""
    size = (200 if full else 20) * 2**20
    whole = zipped({"level1/1_Zeros.py": b"\x00" * size})
    return whole.replace(struct.pack("<L", size), struct.pack("<L", 1))


@hostile(".tar.gz")
def tar_of_many_members(full: bool) -> bytes:
    one = tarfile.TarInfo("level1/1_Empty.py").tobuf(tarfile.GNU_FORMAT)
    return gzip.compress(one * (2_000_000 if full else 60_000) + b"\x00" * 1024, 6)


@hostile(".tar.gz")
def tar_with_a_large_pax_header(full: bool) -> bytes:
    member = tarfile.TarInfo("level1/1_Pax.py")
    member.pax_headers = {"comment": "x" * ((500 if full else 20) * 2**20)}
    return gzip.compress(tarred([(member, PROGRAM)]), 6)


@hostile(".tar.gz")
def tar_with_a_long_name(full: bool) -> bytes:
    member = tarfile.TarInfo("level1/1_" + "x" * ((500 if full else 20) * 2**20) + ".py")
    return gzip.compress(tarred([(member, PROGRAM)], tarfile.GNU_FORMAT), 6)


@hostile(".tar")
def tar_claiming_a_large_member(full: bool) -> bytes:
    member = tarfile.TarInfo("level1/1_Large.py")
    member.size = 2**50
    return member.tobuf(tarfile.GNU_FORMAT) + PROGRAM


def run_with(name: str, content: bytes) -> bytes:
    """Return a run of one kernel with a file beside it."""
    return zipped({KERNEL_PATH: b"class ModelNew:\n    pass\n", f"run/{name}": content})


@hostile(".zip")
def settings_that_refer_to_themselves(full: bool) -> bytes:
    """Put aliases of aliases into the settings: a kilobyte of YAML that is gigabytes once it is written out."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    return run_with("generation_config.yaml", "\n".join(lines).encode())


@hostile(".zip")
def settings_nested_deep(full: bool) -> bytes:
    return run_with("generation_config.yaml", b"a: " + b"[" * 50_000 + b"]" * 50_000)


@hostile(".zip")
def results_nested_deep(full: bool) -> bytes:
    return run_with("eval_results.json", b'{"1": ' + b"[" * 50_000 + b"]" * 50_000 + b"}")


@hostile(".jsonl")
def numbers_of_many_digits(full: bool) -> bytes:
    digits = b"9" * (1_000_000 if full else 5_000)
    row = b'{"pytorch_code": "x", "kernel_code": "y", "reasoning": "z", "turn": %s}\n'
    return (row % digits + row % (b"1e" + digits) + row % (b"0." + digits)) * 3


@hostile(".csv")
def cells_of_many_digits(full: bool) -> bytes:
    row = b"x,y,z,%s\n" % (b"9" * (1_000_000 if full else 5_000))
    return b"pytorch_code,kernel_code,reasoning,turn\n" + row * 3


# --- Columnar ---------------------------------------------------------------------------------------------------------


@hostile(".parquet")
def parquet_of_many_row_groups(full: bool) -> bytes:
    rows = 20_000 if full else 2_000
    return parquet(pa.table({name: ["x"] * rows for name in ROW}), row_group_size=1)


@hostile(".parquet")
def parquet_with_deep_json(full: bool) -> bytes:
    return parquet(pa.table({"pytorch_code": ["x"], "sampling": ["[" * 100_000 + "]" * 100_000]}))


@hostile(".arrow")
def arrow_dictionaries_again_and_again(full: bool) -> bytes:
    """Replace a dictionary of a megabyte before each of many batches; zeros compress to nothing."""
    sink = io.BytesIO()
    text, times = "x" * 2**20, 2_000 if full else 60
    batches = [
        pa.record_batch(
            {
                "pytorch_code": pa.DictionaryArray.from_arrays(
                    pa.array([0], pa.int32()), pa.array([text + str(at)])
                )
            }
        )
        for at in range(times)
    ]
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, batches[0].schema, options=options) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return sink.getvalue()


@hostile(".arrow")
def arrow_buffer_claiming_a_large_size(full: bool) -> bytes:
    """Say of a compressed buffer that it unpacks to 2^46 bytes."""
    size = 300_000
    content = stream(pa.record_batch({"pytorch_code": ["x" * size]}), compression="zstd")
    return content.replace(size.to_bytes(8, "little"), (2**46).to_bytes(8, "little"))
