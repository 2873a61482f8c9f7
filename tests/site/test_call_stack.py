"""A request's calls do not map memory anew, however deep in the call stack its loops run."""

import resource

from concur_site.call_stack import in_one_block

CALLS = 200
DEEPEST = 150


def faults() -> int:
    return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt


def nothing() -> None:
    pass


def loop_at(depth: int) -> int:
    """Return the page faults of CALLS calls from a loop so many frames deep."""
    if depth:
        return loop_at(depth - 1)
    before = faults()
    for _ in range(CALLS):
        nothing()
    return faults() - before


def test_no_loop_of_a_request_faults_with_each_call():
    worst = in_one_block(lambda request: max(loop_at(depth) for depth in range(DEEPEST)))
    assert worst(None) < CALLS / 4
