"""Tests of the options of the engine's command line."""

from eval_app.engine.cli import CACHE_DIR, _parser


def test_the_build_cache_is_where_the_command_line_says_whatever_the_site_uses(monkeypatch, tmp_path):
    monkeypatch.setenv("CONCUR_DATA_DIR", str(tmp_path))
    assert _parser().parse_args(["selftest"]).cache_dir == CACHE_DIR
    assert _parser().parse_args(["selftest", "--cache-dir", str(tmp_path)]).cache_dir == tmp_path
