"""Processes of a sandbox, seen and stopped from outside."""

import os
import resource
import signal
import subprocess
import sys
import time

import pytest

from eval_app.engine.sandbox import process_tree

# A child that spins, of a child that waits for it.
FAMILY = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "while True: pass"])
print(child.pid, flush=True)
child.wait()
"""
WORK = """
import threading, time, sys
def spin():
    end = time.thread_time() + 0.2
    while time.thread_time() < end: pass
threads = [threading.Thread(target=spin) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("done", flush=True)
sys.stdin.read()
"""


# Each child starts the next one.
CHAIN = """
import os, sys, time
for _ in range(60):
    if os.fork(): time.sleep(600)
print("last", flush=True)
time.sleep(600)
"""

# Four children of a process with 64 MiB, which they share.
SHARED = """
import os, time
held = b"x" * 2**26
for _ in range(4):
    if os.fork() == 0: time.sleep(600)
print("forked", flush=True)
time.sleep(600)
"""

# A child that reads one byte in each 2 MiB of 16 GiB of addresses, none of which is ever written.
READS_ADDRESSES = """
import mmap, os, time
if os.fork() == 0:
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
    addresses = mmap.mmap(-1, 2**34, flags=flags, prot=mmap.PROT_READ)
    for place in range(0, 2**34, 2**21): addresses[place]
    print("read", flush=True)
time.sleep(600)
"""


def state(pid):
    with open(f"/proc/{pid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


@pytest.fixture
def root():
    process = subprocess.Popen(
        [sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    yield process
    process_tree.freeze(process.pid, frozen=False)
    for pid in process_tree.descendants(process.pid):
        subprocess.run(["kill", "-9", str(pid)], check=False)
    process.wait()


def test_a_long_chain_of_processes_is_frozen_to_its_end_with_few_descriptors():
    chain = subprocess.Popen([sys.executable, "-c", CHAIN], stdout=subprocess.PIPE, text=True)
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        assert chain.stdout.readline() == "last\n"
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 20, limits[1]))
        assert process_tree.freeze(chain.pid, frozen=True)
        frozen = {state(pid) for pid in process_tree.descendants(chain.pid) if pid != chain.pid}
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        for pid in sorted(process_tree.descendants(chain.pid), reverse=True):
            os.kill(pid, 9)
        chain.wait()
    assert frozen == {"T"}


def test_descendants_are_frozen_and_go_on(root):
    child = int(root.stdout.readline())
    process_tree.freeze(root.pid, frozen=True)
    spent_s = process_tree.busy_s(root.pid)
    time.sleep(0.1)
    assert state(child) == "T"
    assert process_tree.busy_s(root.pid) - spent_s < 0.02
    process_tree.freeze(root.pid, frozen=False)
    deadline = time.monotonic() + 30
    while process_tree.busy_s(root.pid) - spent_s < 0.05:
        assert time.monotonic() < deadline, "it did not go on"


# A child that is never long outside of system calls: each writes 64 MiB, which no stop signal cuts short.
WRITES = """
import os
memory, block = os.memfd_create("all"), bytes(2**26)
print(os.getpid(), flush=True)
while True:
    os.pwrite(memory, block, 0)
"""


@pytest.fixture
def work():
    """Start a program as a child of a process that does nothing else, and return that process."""
    started = []

    def start(program):
        source = (
            "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]]); sys.stdin.read()"
        )
        command = [sys.executable, "-c", source, program]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        started.append(process)
        process.stdout.readline()
        return process

    yield start
    for process in started:
        for pid in process_tree.descendants(process.pid):
            subprocess.run(["kill", "-9", str(pid)], check=False)
        process.wait()


def test_a_process_is_frozen_once_its_long_system_call_has_ended(work):
    root = work(WRITES)
    for _ in range(3):
        assert process_tree.freeze(root.pid, frozen=True)
        since = process_tree.clocks(root.pid)
        time.sleep(0.05)
        assert since
        assert not process_tree.has_run(since)
        assert process_tree.freeze(root.pid, frozen=False)
        time.sleep(0.01)


# A child that has the kernel continue it: by a timer of its own, once it was stopped.
GOES_ON = """
import ctypes, signal
libc = ctypes.CDLL(None)
class Event(ctypes.Structure):
    _fields_ = [("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("rest", ctypes.c_char * 52)]
timer, event = ctypes.c_void_p(), Event(None, signal.SIGCONT)
assert libc.timer_create(1, ctypes.byref(event), ctypes.byref(timer)) == 0
assert libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, 50_000_000, 0, 200_000_000), None) == 0
print("ready", flush=True)
while True: pass
"""


def test_a_process_that_continues_itself_is_seen_to_have_run(work):
    root = work(GOES_ON)
    assert process_tree.freeze(root.pid, frozen=True)
    since = process_tree.clocks(root.pid)
    deadline = time.monotonic() + 30
    while not process_tree.has_run(since):
        assert time.monotonic() < deadline, "it did not go on"
        time.sleep(0.01)


def test_a_process_that_ends_while_it_is_stopped_counts_as_one_that_ran(work):
    root = work("import sys; print(1, flush=True); sys.stdin.read()")
    assert process_tree.freeze(root.pid, frozen=True)
    since = process_tree.clocks(root.pid)
    assert since
    assert not process_tree.has_run(since)
    for pid in since:
        subprocess.run(["kill", "-9", str(pid)], check=True)
    deadline = time.monotonic() + 30
    while not process_tree.has_run(since):
        assert time.monotonic() < deadline, "its end was not seen"
        time.sleep(0.01)


def test_what_threads_spent_that_have_ended_counts():
    with subprocess.Popen(
        [sys.executable, "-c", WORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "done\n"
        assert process_tree.busy_s(process.pid) > 0.6


def test_pages_that_forked_processes_share_count_once_where_all_of_them_would_be_too_many():
    with subprocess.Popen(
        [sys.executable, "-c", SHARED], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            assert process.stdout.readline() == "forked\n"
            assert process_tree.held_bytes(process.pid, limit_bytes=2**40) > 5 * 2**26
            assert 2**26 < process_tree.held_bytes(process.pid, limit_bytes=0) < 2 * 2**26
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def test_a_process_whose_share_is_not_told_counts_in_full(monkeypatch):
    monkeypatch.setattr(process_tree, "_SEARCH_S", -1.0)
    with subprocess.Popen(
        [sys.executable, "-c", "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"]
    ) as stopped:
        os.waitpid(stopped.pid, os.WUNTRACED)  # its memory stays as it is
        try:
            in_full = process_tree.held_bytes(stopped.pid, 2**40)
            assert in_full > 2**20
            assert process_tree.held_bytes(stopped.pid, 0) == in_full
        finally:
            stopped.kill()


def test_page_tables_of_addresses_without_memory_are_seen():
    before = process_tree.memory().page_tables
    process = subprocess.Popen(
        [sys.executable, "-c", READS_ADDRESSES], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        process.stdout.readline()
        assert process_tree.held_bytes(process.pid, 2**40) < 2**26
        assert 2**25 <= process_tree.page_table_bytes(process.pid) < 2**26
        assert process_tree.memory().page_tables > before
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
