"""Tests of the engine's builder at the engine's end."""

import pytest

from eval_app.engine.build import slots
from eval_app.engine.build.toolchain import ToolchainMissingError
from eval_app.engine.orchestrator.builds import Builder


def test_a_stopped_builder_searches_for_no_compilers(tmp_path):
    builder = Builder(tmp_path, slots.room(1), "none", "")
    builder.stop()
    with pytest.raises(ToolchainMissingError, match="cancelled"):
        builder.toolchain()
