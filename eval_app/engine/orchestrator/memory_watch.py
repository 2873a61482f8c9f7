"""The host memory of one attempt: how much each side holds, and which of them has to end for it."""

from __future__ import annotations

from eval_app.engine.sandbox import process_tree
from eval_app.engine.sandbox.zygote_host import ZygoteHost

# Most of the machine's memory that one side may hold, whatever its profile allows.
_LARGEST_SHARE = 0.7
# Share of the machine's memory that must stay available: not all of it is counted for a process.
_AVAILABLE_SHARE = 0.03
# A job that holds less than this share of a machine without memory is not the one that took it.
_BLAMED_SHARE = 0.05
# Growth of the machine's shared memory, or page tables, as a share of the limit, from which on processes are searched
# for it.
_SEARCHED_SHARE = 0.25


class MemoryWatch:
    """Counts what is resident in the processes of judge and runner, and shared memory that they hold unmapped, and what
    their page tables take."""

    def __init__(self, limit_bytes: int) -> None:
        """Start counting; each side may hold `limit_bytes`."""
        memory = process_tree.memory()
        self._limit_bytes = min(limit_bytes, int(memory.total * _LARGEST_SHARE))
        self._shared_at_first, self._tables_at_first = memory.shared, memory.page_tables
        self.peak_runner_bytes = self.peak_judge_bytes = 0

    def check(self, runner: ZygoteHost, judge: ZygoteHost) -> str:
        """Return which side holds too much: "memory:runner", "memory:judge", "memory:host" for neither, or nothing."""
        memory = process_tree.memory()
        runner_bytes, judge_bytes = runner.held_bytes(self._limit_bytes), judge.held_bytes(self._limit_bytes)
        if memory.shared - self._shared_at_first > self._limit_bytes * _SEARCHED_SHARE:
            runner_bytes += runner.unmapped_bytes()
            judge_bytes += judge.unmapped_bytes()
        if memory.page_tables - self._tables_at_first > self._limit_bytes * _SEARCHED_SHARE:
            runner_bytes += runner.page_table_bytes()
            judge_bytes += judge.page_table_bytes()
        self.peak_runner_bytes, self.peak_judge_bytes = (
            max(self.peak_runner_bytes, runner_bytes),
            max(self.peak_judge_bytes, judge_bytes),
        )
        if runner_bytes > self._limit_bytes:
            return "memory:runner"
        if judge_bytes > self._limit_bytes:
            return "memory:judge"
        if memory.available >= memory.total * _AVAILABLE_SHARE:
            return ""
        if max(runner_bytes, judge_bytes) < memory.total * _BLAMED_SHARE:
            return "memory:host"
        return "memory:runner" if runner_bytes >= judge_bytes else "memory:judge"
