"""Tests of the script that trains the tokenizer, on a small text."""

from tokenizers import Tokenizer

from datasets_app.traces.tokenizer import corpus, train
from datasets_app.traces.tokenizer.counting import WordCounter, load


def test_training_makes_a_tokenizer_that_is_counted_by_words_and_loses_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(train, "texts", lambda: list(corpus.demo_texts())[:20])
    path = tmp_path / "small.json"
    train.train(600).save(str(path), pretty=False)
    text = "int row = blockIdx.x;\n\n    sum += 1.5f;  // größer 矩阵"
    tokenizer = Tokenizer.from_file(str(path))
    assert tokenizer.decode(tokenizer.encode(text).ids) == text
    assert isinstance(load(path), WordCounter)
    assert load(path).count([text]) == [len(tokenizer.encode(text).ids)]


def test_tests_and_other_peoples_packages_are_not_learnt_from():
    paths = corpus.python_files()
    assert len(paths) > 300
    assert not [path for path in paths if {"site-packages", "test", "tests"} & set(path.parts)]
