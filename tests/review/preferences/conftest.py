import pytest

from tests.factories import acting, make_sample, make_task, make_user


@pytest.fixture
def ben():
    return acting(make_user("annotator", "bén"))


@pytest.fixture
def cyd():
    return acting(make_user("curator", "cyd"))


@pytest.fixture
def pair():
    task = make_task()
    return make_sample(task), make_sample(task)
