import pytest
import redis

from concur_site import redis_server
from concur_site.redis_server import answers
from tests.redis_server import running_redis


def test_the_runs_own_redis_keeps_an_append_only_file(redis_url):
    client = redis.Redis.from_url(redis_url)
    assert client.config_get("appendonly") == {"appendonly": "yes"}


def test_a_redis_that_is_not_there_does_not_answer(tmp_path):
    assert not answers(f"unix://{tmp_path}/none.sock")


@pytest.mark.parametrize(
    ("version", "valkey", "sound"),
    [
        ((6, 2, 14), False, False),
        ((6, 2, 20), False, True),
        ((7, 0, 15), False, False),
        ((7, 4, 5), False, False),
        ((8, 2, 2), False, True),
        ((8, 4, 0), False, True),
        ((8, 1, 3), True, False),
        ((9, 0, 0), True, True),
        ((), False, False),
    ],
)
def test_a_version_with_known_holes_is_told_from_a_sound_one(version, valkey, sound):
    assert redis_server.is_sound(version, valkey) is sound


def test_the_runs_own_server_is_a_sound_version():
    assert redis_server.is_sound(*redis_server.version_of(redis_server.server_program()))


def test_a_sound_server_is_taken_before_a_weak_one_on_the_path(tmp_path, monkeypatch):
    weak = tmp_path / "redis-server"
    weak.write_text("#!/bin/sh\necho 'Redis server v=6.2.14 sha=0:0'\n")
    weak.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert redis_server.version_of(str(weak)) == ((6, 2, 14), False)
    assert redis_server.server_program() != str(weak)


@pytest.mark.parametrize(("kept", "weak"), [(frozenset({"EVAL"}), True), (frozenset(), False)])
def test_a_server_with_known_holes_is_named_unless_lua_is_taken_away(monkeypatch, kept, weak):
    monkeypatch.setattr(redis_server, "is_sound", lambda version, valkey: False)
    with running_redis(kept) as url:
        assert ("CVE-2025-49844" in redis_server.weakness(url)) is weak
