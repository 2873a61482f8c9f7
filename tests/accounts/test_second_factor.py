"""Tests of the second sign-in step: a code from an app, usable once, or a recovery code, usable once."""

import re
from html import unescape

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from datasets_app.accounts import second_factor
from datasets_app.accounts.brake import PAIR_FAILURES
from datasets_app.models import ApiToken, AuditEntry, SecondFactor
from tests.accounts.steps import PAGE, code_for, give, is_signed_in, sign_in

pytestmark = pytest.mark.django_db


def shown_secret(client):
    text = client.get(PAGE).content.decode()
    return re.search(r'class="account-token">([A-Z2-7 ]+)<', text)[1].replace(" ", "")


def turn_on(client, clock, password="ada"):
    """Turn the second step on; return the secret and the recovery codes from the page."""
    secret = shown_secret(client)
    answer = client.post(PAGE + "on/", {"password": password, "code": code_for(secret, clock)})
    return secret, re.findall(r"<li><code>([a-z2-7-]+)</code>", answer.content.decode()), answer


def test_turning_it_on_shows_a_secret_as_text_and_as_a_picture(ada, clock):
    client = Client()
    sign_in(client)
    text = unescape(client.get(PAGE).content.decode())
    assert 'src="data:image/svg+xml' in text
    secret, codes, answer = turn_on(client, clock)
    assert answer.status_code == 201
    assert "no-store" in answer["Cache-Control"]
    assert len(codes) == second_factor.RECOVERY_CODES
    assert second_factor.is_on(ada)
    assert SecondFactor.objects.get().secret == secret
    later = client.get(PAGE).content.decode()
    assert codes[0] not in later
    assert secret not in later.replace(" ", "")


def test_the_picture_holds_what_an_app_reads(ada):
    address = second_factor.enrolment_address(ada, "JBSWY3DPEHPK3PXP" * 2)
    assert address.startswith("otpauth://totp/ConCuR%20Workbench:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")


@pytest.mark.parametrize("wrong", ["password", "code"])
def test_it_is_not_turned_on_without_the_password_and_the_code(ada, clock, wrong):
    client = Client()
    sign_in(client)
    secret = shown_secret(client)
    sent = {"password": "ada", "code": code_for(secret, clock), wrong: "123"}
    answer = client.post(PAGE + "on/", sent)
    assert answer.status_code == 400
    assert not second_factor.is_on(ada)
    assert shown_secret(client) == secret


def test_turning_it_on_signs_other_sessions_out_and_keeps_this_one(ada, clock):
    here, elsewhere = Client(), Client()
    sign_in(here)
    sign_in(elsewhere)
    turn_on(here, clock)
    assert is_signed_in(here)
    assert not is_signed_in(elsewhere)


def test_the_password_alone_no_longer_signs_in(enrolled):
    client = Client()
    assert sign_in(client).url == "/accounts/login/code/"
    assert not is_signed_in(client)


def test_password_and_code_sign_in_and_lead_where_one_was_going(enrolled, clock):
    client = Client()
    client.post("/accounts/login/", {"username": "ada", "password": "ada", "next": "/browse/?q=x"})
    answer = give(client, code_for(enrolled[0], clock))
    assert answer.url == "/browse/?q=x"
    assert is_signed_in(client)


def test_a_session_that_somebody_planted_learns_nothing_of_the_password(enrolled, clock):
    planted = Client()
    planted.session.save()
    victim = Client()
    victim.cookies = planted.cookies.copy()
    sign_in(victim)
    assert give(planted, code_for(enrolled[0], clock)).url == "/accounts/login/"
    assert not is_signed_in(planted)


def test_the_code_alone_leads_nowhere(enrolled, clock):
    assert give(Client(), code_for(enrolled[0], clock)).url == "/accounts/login/"


def test_a_code_opens_once(enrolled, clock):
    code = code_for(enrolled[0], clock)
    for client, opens in ((Client(), True), (Client(), False)):
        sign_in(client)
        give(client, code)
        assert is_signed_in(client) == opens


def test_a_code_before_the_last_used_one_is_refused_too(enrolled, clock):
    earlier = code_for(enrolled[0], clock)
    clock[0] += 30
    client = Client()
    sign_in(client)
    give(client, code_for(enrolled[0], clock))
    late = Client()
    sign_in(late)
    give(late, earlier)
    assert not is_signed_in(late)


def test_the_code_that_turned_it_on_signs_nobody_in(ada, clock):
    client = Client()
    sign_in(client)
    secret, _, _ = turn_on(client, clock)
    other = Client()
    sign_in(other)
    give(other, code_for(secret, clock))
    assert not is_signed_in(other)


def test_a_clock_half_a_minute_off_is_borne_and_two_minutes_are_not(enrolled, clock):
    late = code_for(enrolled[0], clock)
    clock[0] += 30
    client = Client()
    sign_in(client)
    give(client, late)
    assert is_signed_in(client)
    old = code_for(enrolled[0], clock)
    clock[0] += 120
    other = Client()
    sign_in(other)
    give(other, old)
    assert not is_signed_in(other)


def test_a_recovery_code_opens_once_however_it_is_typed(enrolled):
    code = enrolled[1][3].upper().replace("-", " ")
    for opens in (True, False):
        client = Client()
        sign_in(client)
        give(client, code)
        assert is_signed_in(client) == opens
    assert len(SecondFactor.objects.get().recovery) == second_factor.RECOVERY_CODES - 1


def test_recovery_codes_are_stored_as_hashes(enrolled):
    stored = str(SecondFactor.objects.values_list("recovery", flat=True)[0])
    assert not any(code in stored or code.replace("-", "") in stored for code in enrolled[1])


def test_new_recovery_codes_end_the_old_ones(enrolled, ada, clock):
    client = Client()
    sign_in(client)
    give(client, code_for(enrolled[0], clock))
    answer = client.post(PAGE + "codes/", {"password": "ada"})
    fresh = re.findall(r"<li><code>([a-z2-7-]+)</code>", answer.content.decode())
    assert not second_factor.check(ada, enrolled[1][0])
    assert second_factor.check(ada, fresh[0])


def test_guessed_codes_are_braked_and_then_even_the_right_one_waits(enrolled, clock):
    client = Client()
    sign_in(client)
    for number in range(PAIR_FAILURES):
        assert "not the code" in give(client, f"00000{number}").content.decode()
    assert "Too many failed attempts" in give(client, code_for(enrolled[0], clock)).content.decode()
    assert not is_signed_in(client)


@pytest.mark.parametrize("code", ["", "١٢٣٤٥٦", "9" * 5000, "nul\x00", "12 34"])
def test_a_strange_code_breaks_nothing(enrolled, code):
    client = Client()
    sign_in(client)
    assert give(client, code).status_code == 200


def test_the_pause_between_the_steps_ends(enrolled, clock):
    client = Client()
    sign_in(client)
    clock[0] += 301
    assert give(client, code_for(enrolled[0], clock)).url == "/accounts/login/"


def test_a_password_that_was_changed_in_the_pause_ends_it(enrolled, ada, clock):
    client = Client()
    sign_in(client)
    ada.set_password("another")
    ada.save()
    assert give(client, code_for(enrolled[0], clock)).url == "/accounts/login/"


def test_turning_it_off_needs_the_password(enrolled, ada, clock):
    client = Client()
    sign_in(client)
    give(client, code_for(enrolled[0], clock))
    assert client.post(PAGE + "off/", {"password": "wrong"}).status_code == 400
    assert second_factor.is_on(ada)
    client.post(PAGE + "off/", {"password": "ada"})
    assert not second_factor.is_on(ada)
    assert AuditEntry.objects.filter(action="second-factor.off").count() == 1


def test_a_lost_phone_is_reset_from_the_shell(enrolled, ada, capsys):
    call_command("totp", "list")
    assert "ada" in capsys.readouterr().out
    call_command("totp", "reset", "ada")
    assert not second_factor.is_on(ada)
    for name, sentence in (("ada", "no second step"), ("nobody", "no account")):
        with pytest.raises(CommandError, match=sentence):
            call_command("totp", "reset", name)


def test_an_administrator_resets_it_in_the_admin_and_sees_no_secret(enrolled, administrator):
    row = SecondFactor.objects.get()
    opened = administrator.get(f"/admin/datasets_app/secondfactor/{row.pk}/change/").content.decode()
    assert row.secret not in opened
    assert row.recovery[0] not in opened
    sent = {"action": "turn_off", "_selected_action": [row.pk]}
    administrator.post("/admin/datasets_app/secondfactor/", sent)
    assert not SecondFactor.objects.exists()


def test_api_tokens_are_not_affected(enrolled, ada, settings):
    settings.REQUIRE_TOTP = True
    text = ApiToken.issue(ada, ["read"])[1]
    assert Client().get("/api/v1/reviews/", headers={"Authorization": f"Bearer {text}"}).status_code == 200
