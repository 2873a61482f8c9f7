"""Tests of build requests at the sandbox's border: what is accepted, and what is refused."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval_app.engine.build.request import (
    MAX_TEXT_BYTES,
    PREFIX,
    BuildNeeded,
    BuildRefusedError,
    BuildRequest,
)

SOURCE = "torch::Tensor f(torch::Tensor x) { return x; }"


def request(**changes):
    return BuildRequest.from_dict(
        {"name": "ext", "cpp_sources": [SOURCE], "functions": [("f", "f")], **changes}
    )


def test_a_request_survives_json():
    made = request(cuda_sources=["__global__ void k() {}"], extra_cflags=["-O3"], with_cuda=True)
    assert BuildRequest.from_dict(json.loads(json.dumps(made.to_dict()))) == made


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "a-b"}, "identifier"),
        ({"name": "x" * 200}, "identifier"),
        ({"name": 3}, "identifier"),
        ({"cpp_sources": "text"}, "list"),
        ({"cpp_sources": [3]}, "text only"),
        ({"cpp_sources": ["a\0b"]}, "no file and no command"),
        ({"extra_cflags": ["-DX=\ud800"]}, "no file and no command"),
        ({"files": [["a" * 300 + ".cpp", ""]]}, "longer than 200 bytes"),
        ({"headers": [["\u00e9" * 150 + ".h", ""]]}, "relative"),
        ({"headers": [["a" + "\u00e9" * 150, ""]]}, "longer than 200 bytes"),
        ({"files": [["a.cpp", ""], ["a.cpp/b.cpp", ""]]}, "of a file and of a folder"),
        ({"headers": [["x/y.h", ""], ["x", ""]]}, "of a file and of a folder"),
        ({"cpp_sources": [], "functions": None}, "no source"),
        ({"cpp_sources": ["x" * (MAX_TEXT_BYTES + 1)]}, "limit"),
        ({"extra_cflags": ["-O2"] * 300}, "limit"),
        ({"files": [["../up.cpp", ""]]}, "relative"),
        ({"files": [["/etc/x.cpp", ""]]}, "relative"),
        ({"files": [["a.cpp", ""], ["a.cpp", ""]]}, "same name"),
        ({"functions": [["f"]]}, "pair"),
        ({"with_cuda": "yes"}, "bool"),
        ({"is_python_module": 1}, "bool"),
        ({"surprise": 1}, "unknown field"),
    ],
)
def test_a_malformed_request_is_refused_with_the_reason(changes, reason):
    with pytest.raises(BuildRefusedError, match=reason):
        request(**changes)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(["name", "cpp_sources", "files", "functions", "with_cuda"])
                | st.text(max_size=5),
                inner,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_gives_a_request_or_a_refusal(data):
    with contextlib.suppress(BuildRefusedError):
        assert isinstance(BuildRequest.from_dict(data), BuildRequest)


def test_the_key_follows_what_changes_the_result():
    first = request().key("tools")
    assert request().key("tools") == first
    assert request().key("other tools") != first
    assert request(extra_cflags=["-O3"]).key("tools") != first
    assert request(cpp_sources=[SOURCE + " "]).key("tools") != first


def test_a_name_that_no_source_uses_does_not_ask_for_another_build():
    assert request(name="kernel_1234").key("t") == request(name="kernel_5678").key("t")
    assert request(name="kernel_1234").build_name.startswith(PREFIX)


def test_two_extensions_never_share_a_module_name():
    assert request().build_name != request(cpp_sources=[SOURCE + " "]).build_name


def test_a_name_that_the_sources_depend_on_is_kept():
    by_hand = "PYBIND11_MODULE(mine, m) {}"
    assert request(name="mine", cpp_sources=[by_hand], functions=None).build_name == "mine"
    library = "TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {}"
    assert request(name="mine", cpp_sources=[library], functions=None).build_name == "mine"
    assert request(name="mine", is_python_module=False).build_name == "mine"


def test_a_build_that_is_needed_passes_through_except_exception():
    assert not issubclass(BuildNeeded, Exception)
