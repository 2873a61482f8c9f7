"""Tests of the engine's command line: its options, what it prints, and what it resumes."""

import json
from io import StringIO

from eval_app.engine.cli import CACHE_DIR, _finished, _parser, _Progress, _say


def test_the_build_cache_is_where_the_command_line_says_whatever_the_site_uses(monkeypatch, tmp_path):
    monkeypatch.setenv("CONCUR_DATA_DIR", str(tmp_path))
    assert _parser().parse_args(["selftest"]).cache_dir == CACHE_DIR
    assert _parser().parse_args(["selftest", "--cache-dir", str(tmp_path)]).cache_dir == tmp_path


def test_what_a_terminal_obeys_is_not_printed(capsys):
    _say("job \x1b]0;title\x07 passed")
    assert capsys.readouterr().err == "job ?]0;title? passed\n"


def test_a_line_that_is_no_job_is_reported_once_and_spares_no_job_of_its_id_that_is_still_to_run(tmp_path):
    path, output = tmp_path / "reports.jsonl", StringIO()
    path.write_text(
        f"{json.dumps({'id': 'one', 'outcome': 'infra_error'})}\n{{'id': 'two', 'out", encoding="utf-8"
    )
    progress = _Progress(output, _finished(path))
    progress.refuse(1, "one", "job.reference must not be empty")
    assert not output.getvalue()
    assert not progress.has("one")
    progress.refuse(3, "two", "job.reference must not be empty")
    assert json.loads(output.getvalue())["id"] == "two"
