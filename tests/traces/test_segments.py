import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from datasets_app.traces.segments import LONGEST_CHARS, LONGEST_LINES, Kind, segments

TRACE = """Okay, I need to optimize the softmax. The plan is to keep a row in registers.

The kernel reads the row with float4 loads.

Each warp reduces by shuffles.

Wait, the row may be longer than a block.

```cpp
for (int i = threadIdx.x; i < n; i += blockDim.x)
```

The loop strides over the row.

So putting it all together, the kernel is one pass.
"""


def words(texts):
    return [len(text.split()) for text in texts]


def lengths(texts):
    return [len(text) for text in texts]


def kinds(text):
    return [segment.kind for segment in segments(text, words)]


def test_a_trace_is_cut_into_what_its_parts_do():
    assert kinds(TRACE) == [
        Kind.PLAN,
        Kind.ATTEMPT,
        Kind.CORRECTION,
        Kind.CODE,
        Kind.ATTEMPT,
        Kind.CONCLUSION,
    ]


def test_a_segment_knows_its_first_line_its_title_and_its_length():
    correction = segments(TRACE, words)[2]
    assert correction.first_line == 7
    assert correction.title == "Wait, the row may be longer than a block."
    assert correction.tokens == 9


@pytest.mark.parametrize(
    "opening",
    ["Wait, no.", "Hmm, that fails.", "But wait, is it?", "Actually, use two.", "Let me reconsider this."],
)
def test_turning_round_is_a_self_correction(opening):
    assert kinds(f"I load the row.\n\n{opening}") == [Kind.ATTEMPT, Kind.CORRECTION]


@pytest.mark.parametrize("sentence", ["The threads wait at the barrier.", "Actually fast code is short."])
def test_the_same_words_inside_a_sentence_are_not(sentence):
    assert Kind.CORRECTION not in kinds(f"I load the row.\n\n{sentence}")


UNFENCED = """The kernel would be:

__global__ void scale(const float* a, float* out, int size) {
    int idx = blockIdx.x * blockDim.x + threadIdx.x;

    // one element a thread
    if (idx < size) {
        out[idx] = a[idx] * 2;  // uses shared memory
    }
}

And in Python:

class Model(nn.Module):
    def forward(self, x):
        x = self.matmul(x)  # (B, O)
        return x

```cpp
int n = 0;
```

The output has (B, O) elements = 512.
"""


def test_code_without_fences_is_code_with_its_blank_lines():
    assert kinds(UNFENCED) == [
        Kind.ATTEMPT,
        Kind.CODE,
        Kind.ATTEMPT,
        Kind.CODE,
        Kind.CODE,
        Kind.ATTEMPT,
    ]
    code = segments(UNFENCED, words)[1]
    assert UNFENCED[code.start : code.end].rstrip().endswith("}")


@pytest.mark.parametrize(
    "prose",
    [
        "x = self.matmul(x) → (B, O)\ny = self.pool(x) → the pool takes a dimension, so it becomes (B, 1). Then",
        "- B = 112;\n- F = 64;",
        "1. Load the row;\n2. Store it;",
        "The output size is (input - kernel) / stride + 1 = 512.",
        "First the loads,\nthen the sums,\nthen the stores",
    ],
)
def test_prose_with_formulas_is_no_code(prose):
    assert Kind.CODE not in kinds(prose)


def test_a_list_belongs_to_the_plan_that_announces_it():
    text = "So the plan is:\n\n1. Sum the squares.\n\n2. Divide by the root.\n\nThe row has 512 elements."
    assert kinds(text + " It is long." * 20) == [Kind.PLAN, Kind.ATTEMPT]


def test_a_wall_of_text_is_cut_where_the_writer_turns_round():
    assert kinds("I use one block. Wait, that is too few. I use many.") == [Kind.ATTEMPT, Kind.CORRECTION]


def test_code_that_is_never_closed_runs_to_the_end():
    assert kinds("Now:\n\n```python\nx = 1\n\nWait, ") == [Kind.ATTEMPT, Kind.CODE]


def test_an_empty_trace_has_no_segment():
    assert segments("", words) == []


@given(st.text(alphabet=st.sampled_from("ab .\n`~W"), max_size=200) | st.text(max_size=100))
def test_nothing_of_a_trace_is_lost_or_shown_twice(text):
    found = segments(text, words)
    assert "".join(text[segment.start : segment.end] for segment in found) == text
    assert [segment.first_line for segment in found] == [text.count("\n", 0, s.start) + 1 for s in found]


def test_segments_are_bounded_in_lines_characters_and_number():
    text = "word\n" * 5_000 + "x" * 200_000 + "\n\n" + "```\na = 1\n```\n\n" * 3_000
    found = segments(text, words)
    assert max(text.count("\n", one.start, one.end) for one in found) <= LONGEST_LINES
    assert max(one.end - one.start for one in found) <= LONGEST_CHARS
    assert len(found) < 2_100


@pytest.mark.parametrize("piece", ["\n", "`", "```\n", "Wait, ", "so so ", "a", " \n", "~~~", "Hmm.", ". "])
def test_a_hostile_trace_of_400_kb_is_cut_quickly(piece):
    text = piece * (400_000 // len(piece))
    started = time.process_time()
    segments(text, lengths)
    assert time.process_time() - started < 2
