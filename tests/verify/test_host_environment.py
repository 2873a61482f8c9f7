"""Tests of a worker's environment variables: validated at start, and refused by name."""

from pathlib import Path

import pytest

from eval_app.host.environment import VariableError, read

REDIS = {"REDIS_URL": "redis://gpu-7:secret@site:6379/0"}


def test_the_defaults_are_one_compiler_per_core_and_the_folder_var():
    environment = read(REDIS)
    assert (environment.build_jobs, environment.log_level, environment.worker_name) == (0, "INFO", "")
    assert environment.data_folder == Path("var").resolve()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("REDIS_URL", ""),
        ("REDIS_URL", "http://:secret@site"),
        ("REDIS_URL", "redis://gpu-7:secret/2@site:6379/0"),
        ("REDIS_URL", "redis://gpu-7:secret@site:63x9/0"),
        ("CONCUR_BUILD_JOBS", "many"),
        ("CONCUR_BUILD_JOBS", "-1"),
        ("CONCUR_BUILD_JOBS", "1000"),
        ("CONCUR_LOG_LEVEL", "loud"),
        ("CONCUR_WORKER_NAME", "../../elsewhere"),
        ("CONCUR_WORKER_NAME", ".."),
    ],
)
def test_a_bad_value_is_refused_by_name(name, value):
    with pytest.raises(VariableError, match=name) as refusal:
        read(REDIS | {name: value})
    assert "secret" not in str(refusal.value)
