"""Tests of the options of the engine's command line."""

from eval_app.engine.cli import CACHE_DIR, _parser, _say


def test_the_build_cache_is_where_the_command_line_says_whatever_the_site_uses(monkeypatch, tmp_path):
    monkeypatch.setenv("CONCUR_DATA_DIR", str(tmp_path))
    assert _parser().parse_args(["selftest"]).cache_dir == CACHE_DIR
    assert _parser().parse_args(["selftest", "--cache-dir", str(tmp_path)]).cache_dir == tmp_path


def test_what_a_terminal_obeys_is_not_printed(capsys):
    _say("job \x1b]0;title\x07 passed")
    assert capsys.readouterr().err == "job ?]0;title? passed\n"
