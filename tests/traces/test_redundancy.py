"""Tests that paragraphs of a trace which repeat earlier ones are found, and nothing else."""

from datasets_app.traces.redundancy import MOST_REPEATS, repeats

PLAN = (
    "The reference multiplies each row by a scale and then adds a bias to every element, so one thread per "
    "element loads both values once and writes the sum back to memory."
)
OTHER = (
    "A block of threads handles thirty two rows at once, since the shared memory of one block has room for "
    "exactly that many partial maxima and a few more words for the flags."
)


def test_a_paragraph_that_is_said_again_is_found_at_its_place():
    text = f"{PLAN}\n\n{OTHER}\n\n{PLAN}\n"
    (found,) = repeats(text)
    assert text[found.start : found.end] == PLAN
    assert found.start > len(PLAN)
    assert found.share == 1


def test_a_few_changed_words_are_still_a_repeat_and_another_thought_is_none():
    (found,) = repeats(f"{PLAN}\n\n{OTHER}\n\nAgain: {PLAN}\n")
    assert 0.8 <= found.share < 1
    assert not repeats(f"{PLAN}\n\n{OTHER}\n")


def test_short_sentences_and_code_may_repeat():
    code = "```python\n" + "x = torch.relu(x) + torch.tanh(y) * torch.exp(z)\n" * 6 + "```"
    assert not repeats(f"Wait, no.\n\n{code}\n\nWait, no.\n\n{code}\n")


def test_the_longest_repeats_are_returned_in_their_order():
    parts = [f"{PLAN} Case {number} differs." for number in range(3 * MOST_REPEATS)]
    found = repeats("\n\n".join(parts + parts))
    assert len(found) == MOST_REPEATS
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert not repeats("")
