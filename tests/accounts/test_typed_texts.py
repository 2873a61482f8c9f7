"""Tests that typed text is shown verbatim: no character hides, reorders the page or reaches a terminal."""

import pytest

from datasets_app import review
from datasets_app.accounts import api_tokens
from datasets_app.browse.list import saved_views
from datasets_app.curate import freeze, recipes
from datasets_app.curate.builtin import BUILTIN
from datasets_app.curate.definition import RecipeError, parse
from datasets_app.models import Recipe, Release, Review
from datasets_app.text_input.validate import name_fault, prose_fault
from tests.factories import acting, make_sample, make_user

pytestmark = pytest.mark.django_db
RED, OVERRIDE, ZERO_WIDTH, NEL = "\x1b[31mred", "a\u202egpj.exe", "pay\u200bpal", "a\x9bb"


@pytest.fixture
def ada():
    return make_user("curator", "ada")


@pytest.mark.parametrize("text", [RED, NEL, "nul\x00", "bell\x07", "\ud800"])
def test_prose_with_a_control_character_is_refused_with_its_number_and_place(text):
    sentence = prose_fault("The comment", text, 100)
    assert sentence.startswith("The comment contains U+")
    assert "remove it" in sentence


@pytest.mark.parametrize("text", ["two\nlines\r\nand\ta tab", "עברית ואנגלית", OVERRIDE, "👩‍💻", ""])
def test_prose_of_any_language_is_taken(text):
    assert prose_fault("The comment", text, 100) == ""


@pytest.mark.parametrize("text", [RED, OVERRIDE, ZERO_WIDTH, "two\nlines", "\ufeffbom"])
def test_a_name_with_a_hidden_character_is_refused(text):
    assert "invisible" in name_fault("The name", text, 100)


@pytest.mark.parametrize("text", ["fast & unreviewed", "Größe > 2×", "速い", "", "עברית"])
def test_a_name_of_any_language_is_taken(text):
    assert name_fault("The name", text, 100) == ""


def test_a_comment_that_speaks_to_a_terminal_is_not_stored(ada):
    with pytest.raises(review.ReviewError, match=r"U\+001B"):
        review.submit_review(make_sample(), acting(ada), "accept", comment=RED)
    assert not Review.objects.exists()


def test_a_comment_that_reorders_is_shown_with_its_marks(annotator, ada):
    sample = make_sample()
    review.submit_review(sample, acting(ada), "accept", comment=f"first\nthen {OVERRIDE}<b>")
    page = annotator.get(f"/review/{sample.pk}/?also=1").content.decode()
    assert "\u202e" not in page
    assert '<span class="ctl" title="U+202E right-to-left override">RLO</span>' in page
    assert "first<br>then" in page
    assert "&lt;b&gt;" in page


def test_views_and_labels_have_names_that_can_be_read(ada):
    with pytest.raises(saved_views.ViewError, match=r"U\+202E"):
        saved_views.save(acting(ada), OVERRIDE, "outcome=passed")
    with pytest.raises(api_tokens.TokenError, match=r"U\+200B"):
        api_tokens.make_token(ada, [], ZERO_WIDTH, actor=acting(ada))


def test_the_account_page_says_what_is_wrong_with_a_label(annotator):
    answer = annotator.post("/account/tokens/", {"label": ZERO_WIDTH})
    assert answer.status_code == 400
    assert "U+200B" in answer.content.decode()


def test_a_recipe_and_its_release_say_which_field_it_is(ada):
    definition = next(iter(BUILTIN.values()))["definition"]
    with pytest.raises(RecipeError) as refused:
        recipes.save(acting(ada), definition, name="mine", title=ZERO_WIDTH, description=RED)
    assert set(refused.value.faults) == {"title", "description"}
    assert not Recipe.objects.filter(name="mine").exists()
    with pytest.raises(RecipeError) as refused:
        freeze.create(
            acting(ada), name="first", definition=parse(definition), title=OVERRIDE, notes=f"fine\n{RED}"
        )
    assert set(refused.value.faults) == {"title", "notes"}
    assert not Release.objects.exists()


def test_notes_of_a_release_from_before_are_shown_with_their_marks(reader):
    Release.objects.create(name="old", title=OVERRIDE, notes=f"{RED} {OVERRIDE}", definition={"rules": []})
    page = reader.get("/releases/old/").content.decode()
    assert "\u202e" not in page
    assert "\x1b" not in page


def test_a_description_from_before_is_shown_with_its_marks(reader):
    Recipe.objects.create(name="old", title=OVERRIDE, description=f"{RED}\r\nnext", definition={"rules": []})
    page = reader.get("/curate/old/").content.decode()
    assert "\u202e" not in page
    assert "\x1b" not in page.split("About this recipe")[-1].split("</details>")[0]
