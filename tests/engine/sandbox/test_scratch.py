"""Tests that a scratch folder is emptied whatever lies in it, and nothing outside it is touched."""

import os

import pytest

from eval_app.engine.sandbox import scratch


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


def deepen(folder, levels):
    before = os.getcwd()
    os.chdir(folder)
    for _ in range(levels):
        os.mkdir("a" * 50)
        os.chdir("a" * 50)
    os.chdir(before)


def test_a_tree_deeper_than_any_path_and_any_stack_goes(folder):
    deepen(folder, 3000)
    scratch.delete(str(folder))
    assert not folder.exists()


def test_links_are_deleted_and_not_followed(folder, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("kept")
    (folder / "inner").mkdir()
    for place in (folder, folder / "inner"):
        (place / "link").symlink_to(outside)
    scratch.empty(str(folder))
    assert not list(folder.iterdir())
    assert (outside / "kept").read_text() == "kept"


def test_names_that_look_like_its_own_do_not_disturb_it(folder):
    for name in (".moved-0", ".moved-1/.moved-0/x", ".moved-2/y/z", "\udcff"):
        os.makedirs(folder / name)
    scratch.empty(str(folder))
    assert not list(folder.iterdir())


def test_what_belongs_to_the_sandbox_stays(folder):
    (folder / "mounted").mkdir()
    (folder / "left").mkdir()
    scratch.empty(str(folder), {str(folder / "mounted")})
    assert os.listdir(folder) == ["mounted"]
