"""Tests of the review page between two samples, in a real Chromium: swapped, offline, signed out, undone, refused."""

import re

import pytest
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from datasets_app.models import Review, ReviewClaim, ReviewDraft, ReviewWithdrawal
from tests.browser.review_page import opened, outbox, press, wait_until_stored
from tests.factories import make_sample, make_user
from tests.live import wait_until
from tests.pages import context, page, session_cookie

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
__all__ = ["context", "page"]


def test_the_next_sample_is_swapped_in_with_its_title_address_and_focus(page: Page):
    first, second = make_sample(), make_sample()
    opened(page, first)
    page.evaluate("window.wasHere = true; scrollTo(0, 400)")
    press(page, "4 a s")
    page.wait_for_url(f"**/review/{second.pk}/")
    expect(page).to_have_title(re.compile(second.task.name))
    assert page.evaluate("[window.wasHere, scrollY, document.activeElement.localName]") == [True, 0, "h1"]
    wait_until_stored(page)
    press(page, "/")
    page.keyboard.type("ModelNew")
    expect(page.locator("[data-find] output")).to_contain_text("kernel 1")  # the panes are alive
    page.go_back()
    expect(page).to_have_title(re.compile(first.task.name))
    expect(page.get_by_text("Saving replaces that")).to_be_visible()


def test_the_program_is_folded_until_it_is_asked_for_and_narrow_windows_show_one_pane(page: Page):
    first, second = make_sample(reasoning="a plan"), make_sample(reasoning="")
    opened(page, first)
    bodies = [page.locator(f"#pane-{name} .pane-body") for name in ("program", "trace", "kernel")]
    assert [body.is_visible() for body in bodies] == [False, True, True]
    press(page, "[ 4 a s")
    page.wait_for_url(f"**/review/{second.pk}/")
    assert [body.is_visible() for body in bodies] == [
        True,
        False,
        True,
    ]  # remembered; nothing to read is folded
    page.set_viewport_size({"width": 1270, "height": 800})
    assert [body.is_visible() for body in bodies] == [False, False, True]
    page.locator(".pane-switch label", has_text="Program").click()
    assert [body.is_visible() for body in bodies] == [True, False, False]


def test_a_review_that_is_sent_while_the_next_sample_is_still_awaited_loads_no_page(page: Page):
    first, second, third = make_sample(), make_sample(), make_sample()
    opened(page, first)
    page.evaluate("window.wasHere = true")
    held = {}
    page.route(re.compile(f"/review/{first.pk}/$"), lambda route: held.update(saving=route))
    page.route(re.compile(f"/review/{second.pk}/ahead/"), lambda route: held.update(ahead=route))
    with page.expect_request(f"**/review/{second.pk}/ahead/"):
        press(page, "a s")
    press(page, "f s")
    held["saving"].continue_()  # the outbox goes on with what waits after it
    wait_until_stored(page)
    held["ahead"].continue_()
    page.wait_for_url(f"**/review/{third.pk}/")
    press(page, "4")
    expect(page.locator("#last-review")).to_contain_text(second.task.name)
    wait_until_stored(page)
    kept = page.evaluate("[window.wasHere, document.querySelector('[name=correctness]:checked')?.value]")
    assert kept == [True, "4"]
    assert Review.objects.count() == 2


def test_a_review_saved_offline_is_sent_once_when_the_site_answers(page: Page, context):
    first, second = make_sample(), make_sample()
    opened(page, first)
    context.set_offline(True)
    press(page, "m")
    page.keyboard.type("written on a train")
    press(page, "Escape a s")
    page.wait_for_url(f"**/review/{second.pk}/")
    expect(outbox(page)).to_contain_text("Offline: 1 review waits to be sent")
    context.set_offline(False)
    wait_until_stored(page)
    expect(outbox(page)).to_be_hidden()
    stored = Review.objects.get()
    assert (stored.sample, stored.comment) == (first, "written on a train")


def test_a_review_that_waits_survives_a_reload(page: Page):
    first, second = make_sample(), make_sample()
    opened(page, first)
    page.route(re.compile(f"/review/{first.pk}/$"), lambda route: route.abort())
    press(page, "f s")
    page.wait_for_url(f"**/review/{second.pk}/")
    expect(outbox(page)).to_contain_text("Offline")
    page.unroute_all()
    page.reload()
    wait_until_stored(page)
    assert Review.objects.get().verdict == "fix"


def test_a_restart_of_the_site_between_two_keystrokes_loses_nothing(page: Page):
    sample = make_sample()
    opened(page, sample, ahead=False)
    page.route("**/draft/", lambda route: route.fulfill(status=503))
    press(page, "4 m")
    page.keyboard.type("half a ")
    expect(page.get_by_text("Kept in this browser only (the site answered 503)")).to_be_visible()
    page.unroute_all()
    page.keyboard.type("thought")
    expect(page.get_by_text("Draft kept")).to_be_visible()
    assert ReviewDraft.objects.get().fields["comment"] == "half a thought"


def test_after_an_ended_session_signing_in_again_sends_what_waits(page: Page):
    first, second = make_sample(), make_sample()
    opened(page, first)
    Session.objects.all().delete()
    press(page, "r s")
    page.wait_for_url(f"**/review/{second.pk}/")
    expect(outbox(page)).to_contain_text("You are signed out: 1 review waits to be sent")
    page.get_by_role("link", name="Sign in again").click()
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("ada")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"**/review/{second.pk}/")
    wait_until_stored(page)
    assert Review.objects.get().verdict == "reject"


def test_another_person_in_the_same_browser_neither_sends_nor_sees_what_waits(page, context, live_server):
    first, second = make_sample(), make_sample()
    opened(page, first)
    context.add_cookies([session_cookie(make_user("annotator", "ben"), live_server.url)])
    press(page, "m")
    page.keyboard.type("only mine")
    press(page, "Escape a s")
    page.wait_for_url(f"**/review/{second.pk}/")
    expect(outbox(page)).to_contain_text("ben is signed in now: 1 review waits")
    other = context.new_page()
    other.goto(f"/review/{first.pk}/?also=1")
    expect(other.locator("main")).not_to_contain_text("only mine")
    expect(other.get_by_label("Comment")).to_have_value("")
    expect(outbox(other)).to_be_hidden()
    assert not Review.objects.exists()
    assert not ReviewDraft.objects.exists()


def test_a_closed_page_frees_the_sample_ahead(page: Page):
    first, second = make_sample(), make_sample()
    opened(page, first)
    assert ReviewClaim.objects.filter(sample=second).exists()
    page.goto("/browse/")
    wait_until(lambda: not ReviewClaim.objects.filter(sample=second).exists(), "the release")


def test_undo_goes_two_steps_back(page: Page):
    samples = [make_sample() for _ in range(3)]
    opened(page, samples[0])
    for number in (1, 2):
        press(page, "a s")
        page.wait_for_url(f"**/review/{samples[number].pk}/")
        wait_until_stored(page)
    for number in (1, 0):
        press(page, "u")
        page.wait_for_url(f"**/review/{samples[number].pk}/")
        assert page.locator("[name=verdict]:checked").get_attribute("value") == "accept"
    assert ReviewWithdrawal.objects.count() == 2


def test_the_timer_stands_still_without_a_sign_of_life_and_is_stored(page: Page):
    sample = make_sample()
    page.clock.install()
    opened(page, sample, ahead=False)
    timer = page.locator("[data-timer]")
    expect(timer).to_have_text("0:00")
    page.clock.run_for(20_000)
    press(page, "4")
    page.clock.run_for(60_000)
    expect(timer).to_have_text(re.compile("0:(49|50)"))
    timer.click()
    expect(timer).to_have_text("Show time")
    press(page, "a s")
    page.wait_for_url(re.compile(r"/review/$"))
    assert 48 <= Review.objects.get().active_s <= 52


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)], ids=["laptop", "phone"])
def test_undo_is_in_sight_where_the_next_sample_opens(page: Page, size):
    first, second = make_sample(), make_sample()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    opened(page, first)
    press(page, "r s")
    page.wait_for_url(f"**/review/{second.pk}/")
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_in_viewport(ratio=1)
    undo.click()
    page.wait_for_url(f"**/review/{first.pk}/")
    assert ReviewWithdrawal.objects.get().review.sample == first


def test_enter_on_a_verdict_saves_it_although_undo_comes_first_on_the_page(page: Page):
    first, second, _ = make_sample(), make_sample(), make_sample()
    opened(page, first)
    press(page, "r s")
    page.wait_for_url(f"**/review/{second.pk}/")
    wait_until_stored(page)
    page.locator("[name=verdict][value=accept]").focus()
    press(page, "Space Enter")
    expect(page.locator("#last-review")).to_contain_text(second.task.name)
    wait_until_stored(page)
    assert [review.verdict for review in Review.objects.order_by("created_at")] == ["reject", "accept"]
    assert not ReviewWithdrawal.objects.exists()
