import pytest
from django.core.exceptions import ImproperlyConfigured

from concur_site import env
from concur_site.database import database


@pytest.mark.parametrize("word", ["maybe", "2", "-"])
def test_a_flag_that_is_neither_yes_nor_no_is_refused_by_name(monkeypatch, word):
    monkeypatch.setenv("CONCUR_X", word)
    with pytest.raises(ImproperlyConfigured, match="CONCUR_X"):
        env.flag("CONCUR_X", False)


@pytest.mark.parametrize("word", ["0", "false", "No", "off"])
def test_the_word_for_no_means_no(monkeypatch, word):
    monkeypatch.setenv("CONCUR_X", word)
    assert env.flag("CONCUR_X", True) is False


@pytest.mark.parametrize("word", ["eighty", "-1", "70000", "1.5"])
def test_a_port_out_of_range_is_refused_by_name(monkeypatch, word):
    monkeypatch.setenv("CONCUR_PORT", word)
    with pytest.raises(ImproperlyConfigured, match="CONCUR_PORT"):
        env.integer("CONCUR_PORT", 8000, 1, 65535)


def test_a_file_is_no_folder(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("CONCUR_DATA_DIR", str(tmp_path / "file"))
    with pytest.raises(ImproperlyConfigured, match="CONCUR_DATA_DIR"):
        env.folder("CONCUR_DATA_DIR", tmp_path)


def test_a_url_of_another_kind_is_refused_by_name(monkeypatch):
    monkeypatch.setenv("REDIS_URL", "http://here")
    with pytest.raises(ImproperlyConfigured, match="REDIS_URL"):
        env.url("REDIS_URL", "redis://", ("redis", "unix"))


def test_a_database_of_two_servers_is_read_and_a_port_that_is_none_refused(monkeypatch, tmp_path):
    monkeypatch.setenv(
        "DATABASE_URL", "postgresql://u:p@db1:5432,db2:5433/concur?target_session_attrs=read-write"
    )
    config = database(tmp_path)
    assert (config["HOST"], config["PORT"]) == ("db1,db2", "5432,5433")
    assert config["OPTIONS"] == {"target_session_attrs": "read-write"}
    monkeypatch.setenv("DATABASE_URL", "postgresql://u:p@db1:5432,db2:54x3/concur")
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL"):
        database(tmp_path)


def test_a_word_that_is_no_choice_is_refused_with_the_choices(monkeypatch):
    monkeypatch.setenv("CONCUR_X", "loudest")
    with pytest.raises(ImproperlyConfigured, match="CONCUR_X='loudest' is not one of: newest, majority"):
        env.choice("CONCUR_X", "newest", ("newest", "majority"))
    monkeypatch.setenv("CONCUR_X", " Majority ")
    assert env.choice("CONCUR_X", "newest", ("newest", "majority")) == "majority"


@pytest.mark.parametrize(
    "word",
    ["example.org", "ftp://example.org", "https://", "https://a/", "https://u@a", "*", "https://a:b", "null"],
)
def test_what_is_no_origin_is_refused_by_name(monkeypatch, word):
    monkeypatch.setenv("CONCUR_CORS_ORIGINS", f"https://bench.example.org, {word}")
    with pytest.raises(ImproperlyConfigured, match="CONCUR_CORS_ORIGINS"):
        env.origins("CONCUR_CORS_ORIGINS")


def test_origins_are_read_with_ports_and_addresses(monkeypatch):
    words = [
        "https://bench.example.org",
        "http://127.0.0.1:8100",
        "http://[::1]:8100",
        "https://*.example.org",
    ]
    monkeypatch.setenv("CONCUR_TRUSTED_ORIGINS", ", ".join(words))
    assert env.origins("CONCUR_TRUSTED_ORIGINS", wildcards=True) == words
    with pytest.raises(ImproperlyConfigured, match=r"https://\*\.example\.org"):
        env.origins("CONCUR_TRUSTED_ORIGINS")


@pytest.mark.parametrize(
    "address", ["http://[bad/v1", "http://u:secret/2@here/v1", "http://here:80a/v1", "here/v1"]
)
def test_an_endpoint_without_a_readable_address_is_refused_by_name(monkeypatch, address):
    monkeypatch.setenv("CONCUR_ENDPOINTS", f"local={address}")
    with pytest.raises(ImproperlyConfigured, match="CONCUR_ENDPOINTS: the URL of 'local'") as refusal:
        env.endpoints("CONCUR_ENDPOINTS")
    assert "secret" not in str(refusal.value)
