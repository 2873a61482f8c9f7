"""Reasoning traces that attack the segments, the claims, the outline, the code links and the pane."""

from tests.hostile.texts import filled, hostile

LARGE = 1_900_000


@hostile("trace")
def fences() -> str:
    return filled("```\n", LARGE)


@hostile("trace")
def fenced_letters() -> str:
    return filled("```\na\n```\n", LARGE)


@hostile("trace")
def fences_that_nothing_closes() -> str:
    return filled("```a\n~~~b\n", LARGE)


@hostile("trace")
def claims() -> str:
    return filled("It uses shared memory and is 3.1x faster than eager. ", LARGE)


@hostile("trace")
def claims_in_lines() -> str:
    return filled("It uses shared memory, coalesced, 3.1x faster.\n\n", LARGE)


@hostile("trace")
def corrections() -> str:
    return filled("Wait, no.\n\n", LARGE)


@hostile("trace")
def claims_between_corrections() -> str:
    return filled("Wait, it uses shared memory.\n\n", LARGE)


@hostile("trace")
def lines() -> str:
    return "\n" * LARGE


@hostile("trace")
def lines_of_one_letter() -> str:
    return filled("a\n", LARGE)


@hostile("trace")
def paragraphs_of_one_letter() -> str:
    return filled("a\n\n", LARGE)


@hostile("trace")
def spaces_before_wait() -> str:
    return filled("a." + " " * 3_000, LARGE)


@hostile("trace")
def blank_lines_of_spaces() -> str:
    return filled("\n" + " " * 3_000, LARGE)


@hostile("trace")
def one_word() -> str:
    return "a" * LARGE


@hostile("trace")
def words_of_underscores() -> str:
    return "a_" * (LARGE // 2)


@hostile("trace")
def capitals_and_letters() -> str:
    return filled("x" * 20_000 + " ", LARGE)


@hostile("trace")
def code_words() -> str:
    return filled("`a_b` ", LARGE)


@hostile("trace")
def backticks() -> str:
    return "`" * LARGE


@hostile("trace")
def dots() -> str:
    return filled("a.", LARGE)


@hostile("trace")
def one_sentence() -> str:
    return filled("use shared ", LARGE)


@hostile("trace")
def verbs_before_a_claim() -> str:
    return filled(("uses " * 100) + "shared\n", LARGE)


@hostile("trace")
def lines_almost_of_code() -> str:
    return filled("[" * 290 + "\n", LARGE)


@hostile("trace")
def assignments_without_end() -> str:
    return filled("a = " * 70 + "\n", LARGE)


@hostile("trace")
def lists() -> str:
    return filled("- a\n\n", LARGE)


@hostile("trace")
def colons() -> str:
    return filled("a:\n\n- b\n\n", LARGE)


@hostile("trace")
def quotes_of_code() -> str:
    return "```python\n" + filled('"' + "'" * 3, LARGE) + "\n```\n"


@hostile("trace")
def control_characters() -> str:
    return filled("\x01\x1b[2J\u202e\u200b", 1_500_000)


@hostile("trace")
def emoji() -> str:
    return "👩‍👩‍👧‍👦" * 70_000


@hostile("trace")
def combining_characters() -> str:
    return "a" + "\u0300" * 900_000


@hostile("trace")
def html_and_scripts() -> str:
    return filled('</div></details><script>alert(1)</script> "><img src=x onerror=alert(1)>\n\n', LARGE)


@hostile("trace")
def by_doing_this() -> str:
    return filled("By fusing " + "a" * 190 + "\n\n", LARGE)
