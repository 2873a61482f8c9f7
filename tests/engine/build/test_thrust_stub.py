"""Tests of the stand-in for thrust's complex numbers: all that torch's headers name, only where it does not matter."""

import re
from pathlib import Path

import pytest
import torch

from eval_app.engine.build import slim, thrust_stub

INCLUDE = Path(torch.__file__).parent / "include"


def test_it_declares_every_name_of_thrust_in_torchs_headers():
    texts = [path.read_text("utf-8") for path in INCLUDE.glob("*/**/util/complex*.h")]
    code = [re.sub(r"//.*", "", text) for text in texts]
    used = {name for text in code for name in re.findall(r"\bthrust::(\w+)", text)}
    assert {"complex", "polar", "pow"} <= used
    assert used <= set(re.findall(r"\w+", thrust_stub.TEXT))


@pytest.mark.parametrize(
    "source",
    [
        "#include <thrust/sort.h>", "cub::BlockReduce<float, 128>", "c10::complex<float> z", "at::kComplexFloat",
        "AT_DISPATCH_ALL_TYPES_AND_COMPLEX(x)", "cuda::std::pair<int, int>",
    ],
)  # fmt: skip
def test_a_source_that_may_need_the_real_header_gets_it(source, tmp_path):
    slim.write_headers(tmp_path, source, INCLUDE)
    assert not (tmp_path / thrust_stub.HEADER).exists()


def test_any_other_source_gets_the_stand_in(tmp_path):
    slim.write_headers(tmp_path, "__global__ void add(const float* x) {} // cubic", INCLUDE)
    assert (tmp_path / thrust_stub.HEADER).read_text() == thrust_stub.TEXT
