"""Tests of hosts: added, listed, rotated and revoked by an administrator, on the page and in the shell;
keys are shown once."""

import re
from io import StringIO

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.urls import reverse

from datasets_app.accounts.actor import COMMAND
from datasets_app.models import AuditEntry
from eval_app.broker.messages.keys import HostKey
from eval_app.models import Host
from eval_app.workers import local_key, registry
from tests.factories import acting, make_user
from tests.verify.host_hand import HostHand

pytestmark = pytest.mark.django_db
KEY = re.compile(r"cw1\.gpu-7\.[0-9a-f]{64}\.[0-9a-f]{64}")


def command(*arguments, err=None):
    out = StringIO()
    call_command("host", *arguments, stdout=out, stderr=err or StringIO())
    return out.getvalue().strip()


# --- In the shell --------------------------------------------------------------------------------------------------


def test_a_host_is_added_and_its_key_is_the_last_line(db):
    key = command("add", "gpu-7", "--kinds", "cuda")
    assert KEY.fullmatch(key)
    host = Host.objects.get()
    assert (host.name, host.kinds) == ("gpu-7", ["cuda"])
    assert host.public_key == HostKey.read(key).public.hex()
    assert AuditEntry.objects.get(action="host.add").detail["name"] == "gpu-7"


def test_the_database_has_nothing_that_signs(db):
    key = HostKey.read(command("add", "gpu-7"))
    stored = str(list(Host.objects.values()))
    assert key.seed.hex() not in stored


@pytest.mark.parametrize("name", ["", "GPU", "a/b", "a b", "../x", "-a", "x" * 61, "gpu-7\n"])
def test_a_name_that_could_be_taken_for_another_is_refused(name):
    with pytest.raises(registry.HostError, match="lower-case"):
        registry.add_host(name, actor=COMMAND)


def test_a_second_host_of_one_name_is_refused_with_what_to_do():
    command("add", "gpu-7")
    with pytest.raises(CommandError, match="host rotate gpu-7"):
        command("add", "gpu-7")


def test_an_unknown_kind_or_host_is_refused_with_what_there_is():
    with pytest.raises(CommandError, match="cpu, cuda"):
        command("add", "gpu-7", "--kinds", "tpu")
    with pytest.raises(CommandError, match="Known hosts: none yet"):
        command("revoke", "gpu-8")


def test_the_list_says_how_each_host_is_and_never_its_key(broker):
    host = HostHand()
    host.announce()
    registry.add_host("gpu-8", actor=COMMAND)
    registry.revoke_host("gpu-8", actor=COMMAND)
    text = command("list")
    assert re.search(r"^gpu-7\tcpu,cuda\tseen \S+ \S+\t1 worker$", text, re.MULTILINE)
    assert "gpu-8\tcpu,cuda\trevoked" in text
    assert host.host.public_key not in text


def test_a_broker_that_no_other_machine_reaches_is_said_with_the_key(settings):
    settings.HAS_OWN_REDIS = True
    command("add", "gpu-7", err=(own := StringIO()))
    assert "CONCUR_BROKER_LISTEN=ADDRESS:6379, then: manage.py host rotate gpu-7" in own.getvalue()
    settings.HAS_OWN_REDIS = False
    command("add", "gpu-8", err=(given := StringIO()))
    assert "CONCUR_BROKER_LISTEN" not in given.getvalue()


def test_a_new_key_takes_the_place_of_the_old_and_lets_a_revoked_host_in_again():
    old = command("add", "gpu-7")
    command("revoke", "gpu-7")
    new = command("rotate", "gpu-7")
    host = Host.objects.get()
    assert old != new
    assert (host.public_key, host.revoked_at) == (HostKey.read(new).public.hex(), None)


def test_the_account_for_redis_names_only_what_this_host_may_use():
    command("add", "gpu-7", "--kinds", "cuda")
    text = command("acl", "gpu-7")
    assert "verify.cuda*" in text
    assert "verify.cpu" not in text
    assert "concur:inbound:gpu-7" in text


# --- The worker on the site's own machine ------------------------------------------------------------------------


@pytest.fixture
def data(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    settings.WORKER_NAME = "Lab.1"
    return tmp_path


def test_the_sites_own_worker_gets_a_key_that_only_its_account_reads(data):
    local_key.prepare_local_key()
    path = data / "host-key"
    assert path.stat().st_mode & 0o777 == 0o600
    assert HostKey.read(path.read_text()).public.hex() == Host.objects.get(name="lab-1").public_key


def test_a_second_start_leaves_the_key_as_it_is(data):
    local_key.prepare_local_key()
    before = (data / "host-key").read_text()
    local_key.prepare_local_key()
    assert (data / "host-key").read_text() == before


@pytest.mark.parametrize("damage", ["", "nonsense", None])
def test_a_key_that_was_lost_is_made_anew(data, damage):
    local_key.prepare_local_key()
    (data / "host-key").unlink() if damage is None else (data / "host-key").write_text(damage)
    local_key.prepare_local_key()
    assert HostKey.read((data / "host-key").read_text()).public.hex() == Host.objects.get().public_key


def test_a_site_with_a_new_secret_key_gives_its_own_worker_a_new_one(data, settings):
    local_key.prepare_local_key()
    before = (data / "host-key").read_text()
    settings.SECRET_KEY = "another" * 10
    local_key.prepare_local_key()
    assert (data / "host-key").read_text() != before


def test_a_revoked_host_is_not_let_in_again_by_a_restart(data):
    local_key.prepare_local_key()
    registry.revoke_host("lab-1", actor=COMMAND)
    local_key.prepare_local_key()
    assert Host.objects.get().revoked_at


# --- On the page -------------------------------------------------------------------------------------------------


def test_an_administrator_adds_a_host_and_sees_its_key_this_once(administrator):
    answer = administrator.post(reverse("verify-host-add"), {"name": "gpu-7", "kind": ["cuda"]})
    assert answer.status_code == 201
    assert KEY.search(answer.content.decode())
    assert "no-store" in answer["Cache-Control"]
    again = administrator.get(reverse("verify-hosts")).content.decode()
    assert "gpu-7" in again
    assert not KEY.search(again)


def test_a_bad_name_is_refused_with_a_sentence(administrator):
    answer = administrator.post(reverse("verify-host-add"), {"name": "GPU 7"})
    assert answer.status_code == 400
    assert "lower-case letters" in answer.content.decode()


def test_an_administrator_gives_a_new_key_and_revokes(administrator):
    registry.add_host("gpu-7", actor=COMMAND)
    assert KEY.search(administrator.post(reverse("verify-host-rotate", args=["gpu-7"])).content.decode())
    assert administrator.post(reverse("verify-host-revoke", args=["gpu-7"])).status_code == 302
    assert Host.objects.get().revoked_at
    assert administrator.post(reverse("verify-host-revoke", args=["gpu-8"])).status_code == 404


def test_nobody_else_sees_or_changes_hosts(curator, client):
    registry.add_host("gpu-7", actor=COMMAND)
    assert curator.get(reverse("verify-hosts")).status_code == 403
    for name in ("verify-host-rotate", "verify-host-revoke"):
        assert curator.post(reverse(name, args=["gpu-7"])).status_code == 403
    assert curator.post(reverse("verify-host-add"), {"name": "x"}).status_code == 403
    assert client.get(reverse("verify-hosts")).status_code == 302
    assert Host.objects.get().revoked_at is None


def test_the_verbs_themselves_ask_for_the_right():
    curator = acting(make_user("curator"))
    for verb in (registry.add_host, registry.rotate_key, registry.revoke_host):
        with pytest.raises(PermissionDenied):
            verb("gpu-7", actor=curator)


def test_the_page_reads_all_hosts_in_a_fixed_number_of_queries(administrator, django_assert_max_num_queries):
    for number in range(12):
        registry.add_host(f"gpu-{number}", actor=COMMAND)
    with django_assert_max_num_queries(8):
        administrator.get(reverse("verify-hosts"))


def test_the_verify_page_says_which_host_is_refused_and_what_to_do(reader, broker):
    HostHand().announce(versions={"engine": "0.9.0"})
    page = reader.get(reverse("verify")).content.decode()
    assert "Host gpu-7 is refused: its engine is 0.9.0" in page
    assert "upgrade the host" in page
