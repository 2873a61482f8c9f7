import redis

from concur_site.redis_server import answers


def test_the_runs_own_redis_keeps_an_append_only_file(redis_url):
    client = redis.Redis.from_url(redis_url)
    assert client.config_get("appendonly") == {"appendonly": "yes"}


def test_a_redis_that_is_not_there_does_not_answer(tmp_path):
    assert not answers(f"unix://{tmp_path}/none.sock")
