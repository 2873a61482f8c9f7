"""Tests that what sees a reference's operators does without torch's compiler, and keeps out of its way."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

MODES = """
    from eval_app.engine.judge.conversions import ConversionsWatched
    from eval_app.engine.judge.operations import OperationCounter
    from eval_app.engine.judge.ties import TiesBroken
"""


def run(program, folder):
    """Run a program in a process of its own: what is imported here, other tests may have imported."""
    file = folder / "program.py"  # the compiler leaves what is in no file as it is
    file.write_text(textwrap.dedent(MODES) + textwrap.dedent(program))
    paths = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run([sys.executable, file], capture_output=True, text=True, check=False, env=paths)
    assert done.returncode == 0, done.stderr


def test_a_reference_that_compiles_nothing_is_seen_without_the_compiler(tmp_path):
    run(
        """
        import sys, torch
        for mode in (OperationCounter(), ConversionsWatched(), TiesBroken()):
            with mode:
                torch.nn.functional.layer_norm(torch.randn(4, 4) @ torch.randn(4, 4), (4,)).topk(2)
        assert "torch._dynamo" not in sys.modules
    """,
        tmp_path,
    )


def test_the_compiler_of_a_reference_does_not_see_what_sees_its_operators(tmp_path):
    run(
        """
        import torch
        graphs = []

        def backend(graph, inputs):
            graphs.append(graph)
            return graph

        def two_parts(x):
            y = torch.sin(x) + 1
            torch._dynamo.graph_break()
            return (y * 2).sum()

        compiled = torch.compile(two_parts, backend=backend)
        for mode in (OperationCounter(), ConversionsWatched(), TiesBroken()):
            with mode:
                assert compiled(torch.ones(3)) == two_parts(torch.ones(3))
        assert not graphs, [graph.code for graph in graphs]  # under a mode nothing is compiled
    """,
        tmp_path,
    )


TRACE = """
    import gc, sys
    from pathlib import Path
    import torch
    from eval_app.engine.judge import main, operator_calls
    from eval_app.engine.judge.cases import CaseMaker
    from eval_app.engine.judge.reference import Reference

    TASK = "; ".join(["import torch", "get_inputs = lambda: [torch.randn(4, 8)]", ""]) + (
        "Model = type('Model', (torch.nn.Module,), {'forward': lambda self, x: torch.relu(x * 2.5)})"
    )

    def traced():
        with torch.no_grad():
            reference = Reference(TASK, Path(__file__).parent, torch.device("cpu"), 1)
            return operator_calls.count(reference, CaseMaker(reference).make())

    main.warm_up()
"""


def test_a_task_is_traced_with_what_the_zygote_has_loaded_and_a_later_compiler_is_asked_anew(tmp_path):
    run(
        TRACE
        + """
    loaded = set(sys.modules)
    assert traced() == {"operator_calls": 2, "operator_calls_on": "meta"}
    assert {name for name in set(sys.modules) - loaded if "." in name} <= {"torch.utils._device"}
    functions = [one for one in gc.get_objects() if type(one) is type(traced)]
    assert not [one for one in functions if "__dynamo_disable" in vars(one)]
    """,
        tmp_path,
    )
