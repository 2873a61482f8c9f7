"""Tests of a host's key: one line, from one source, invisible to others."""

import os
import subprocess
import sys

import pytest

from eval_app.broker.messages.keys import HostKey, HostKeyError, label_from, name_from, worker_name
from eval_app.host import key as host_key
from tests.verify.processes import ROOT

KEY = HostKey.make("gpu-7", bytes(32))


@pytest.fixture
def no_variable(monkeypatch):
    monkeypatch.delenv(host_key.VARIABLE, raising=False)


def test_a_key_reads_as_it_was_written():
    assert HostKey.read(f" {KEY.text}\n") == KEY


@pytest.mark.parametrize(
    "text",
    ["nonsense", KEY.text[:-1], KEY.text + "0", KEY.text.upper(), "cw1.A.." + "0" * 128],
    ids=["a word", "too short", "too long", "in capitals", "without a host"],
)
def test_a_malformed_key_is_refused_with_what_to_do_and_is_not_repeated(text):
    with pytest.raises(HostKeyError, match="rotate") as caught:
        HostKey.read(text)
    assert text not in str(caught.value)


def test_a_key_does_not_print_its_secret():
    assert KEY.seed.hex() not in repr(KEY)


def test_the_variable_is_gone_once_the_key_is_taken(monkeypatch, tmp_path):
    monkeypatch.setenv(host_key.VARIABLE, KEY.text)
    assert host_key.take_key(tmp_path) == KEY
    assert host_key.VARIABLE not in os.environ


def test_without_the_variable_the_file_in_the_data_folder_counts(no_variable, tmp_path):
    (tmp_path / host_key.FILE).touch(mode=0o600)
    (tmp_path / host_key.FILE).write_text(KEY.text)
    assert host_key.take_key(tmp_path) == KEY


def test_a_file_that_others_may_read_is_refused(no_variable, tmp_path):
    (tmp_path / host_key.FILE).touch()
    (tmp_path / host_key.FILE).chmod(0o644)
    with pytest.raises(HostKeyError, match="chmod 600"):
        host_key.take_key(tmp_path)


def test_a_host_without_a_key_says_how_to_get_one(no_variable, tmp_path):
    with pytest.raises(HostKeyError, match="host add NAME"):
        host_key.take_key(tmp_path)


def run(code, **environment):
    environment = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"], **environment}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
    )


def test_the_key_is_not_in_the_environment_of_the_process_nor_of_its_children(tmp_path):
    """Nor in its initial environment, which stays readable in /proc."""
    main = tmp_path / "worker.py"
    main.write_text(
        "import subprocess, sys\n"
        "from pathlib import Path\n"
        "from eval_app.host.key import restart_without_key, take_key\n"
        "restart_without_key([__file__])\n"
        "assert take_key(Path('/nowhere')).name == 'gpu-7'\n"
        "sys.stdout.write(Path('/proc/self/environ').read_text())\n"
        "sys.stdout.flush()\n"
        "subprocess.run(['env'], check=True)\n"
    )
    done = run(f"import runpy; runpy.run_path({str(main)!r}, run_name='__main__')", CONCUR_HOST_KEY=KEY.text)
    assert done.returncode == 0, done.stderr
    assert "PATH=" in done.stdout
    assert KEY.seed.hex() not in done.stdout


def test_a_worker_with_a_bad_key_says_so_without_repeating_it(tmp_path):
    code = "import sys; from eval_app.host.main import main; sys.exit(main(lambda folder: None))"
    bad = KEY.text[:-1] + "x"
    done = run(code, CONCUR_HOST_KEY=bad, REDIS_URL="redis://:hunter2@nowhere", CONCUR_DATA_DIR=str(tmp_path))
    assert done.returncode == 2
    assert "malformed" in done.stderr
    assert KEY.seed.hex() not in done.stderr
    assert "hunter2" not in done.stderr


def test_a_worker_may_be_called_anything_and_is_known_by_its_host():
    assert label_from("my worker/7") == "my-worker-7"
    assert label_from("") == "worker"
    assert worker_name("gpu7-lab", "GPU7.lab") == "gpu7-lab"
    assert worker_name("cluster", "node-3") == "cluster/node-3"


@pytest.mark.parametrize(
    ("machine", "name"), [("GPU7.lab.example", "gpu7-lab-example"), ("a" * 80, "a" * 60), ("---", "host")]
)
def test_a_machines_name_becomes_a_hosts_name(machine, name):
    assert name_from(machine) == name
