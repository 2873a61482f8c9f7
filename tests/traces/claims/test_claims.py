import pytest

from datasets_app.profiler.counters import Executed
from datasets_app.syntax.kernel import read_kernel
from datasets_app.traces.claims import Measured, check, find
from datasets_app.traces.segments import segments
from tests.syntax.kernel.sources import TRITON, cuda

INDEX = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
PLAIN = cuda(INDEX + "y[i] = x[i];")
SHARED = cuda(
    "__shared__ float t[32][32];\nt[threadIdx.x][0] = x[threadIdx.x]; y[threadIdx.x] = t[threadIdx.x][0];"
)


def claims(text):
    return find(text, segments(text, lambda texts: [len(text) for text in texts]))


def kinds(text):
    return [claim.kind for claim in claims(text)]


def verdict(text, kernel=PLAIN, **measured):
    (found,) = check(claims(text), read_kernel(kernel), Measured(**measured))
    return found.answer.verdict


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("The kernel uses shared memory for the tile.", "shared memory"),
        (
            "Each thread works through a grid-stride loop, written with a grid-stride loop.",
            "grid-stride loop",
        ),
        ("Loads are coalesced.", "coalesced"),
        ("I reduce with warp shuffles.", "warp shuffle"),
        ("The result is 2.5x faster than the reference.", "speedup"),
        ("There are no bank conflicts.", "no bank conflicts"),
        ("I use float4 loads here.", "vector loads"),
        ("It runs on tensor cores.", "tensor cores"),
        ("The add and the relu are fused.", "fused"),
        ("It works without atomics.", "no atomics"),
        ("Accumulation is in fp16.", "half precision"),
        ("It reads the row in a single pass.", "single pass"),
        ("Launched with 256 threads per block.", "block size"),
    ],
)
def test_a_plain_statement_is_a_claim(sentence, kind):
    assert kind in kinds(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "I will not use shared memory.",
        "We could use shared memory.",
        "Maybe it is coalesced.",
        "Does it use warp shuffles?",
        "If the loads are coalesced, it is quick.",
        "Option A: the kernel uses shared memory.",
        "B. Each warp reduces by shuffles.",
        "PyTorch uses tensor cores here.",
        "Without shared memory and with registers.",
        "The accesses are uncoalesced.",
        "It runs without warp shuffles.",
        "The previous version uses shared memory.",
        "**Candidate 1: a full sort of the row.** A bitonic sort in shared memory.",
        "torch's scatter fills with -inf, which internally then does atomics.",
    ],
)
def test_a_denial_a_condition_a_question_or_an_option_is_none(sentence):
    assert [kind for kind in kinds(sentence) if not kind.startswith("no ")] == []


def test_code_in_a_trace_claims_nothing():
    assert kinds("```cpp\n// the kernel uses shared memory\n```\n") == []


def test_a_claim_knows_its_place_and_its_number():
    text = "First.\n\nLaunched with 128 threads per block.\n"
    (claim,) = claims(text)
    assert (claim.line, claim.value, text[claim.start : claim.end]) == (3, 128, "128 threads per block")


def test_syntax_confirms_and_contradicts():
    assert verdict("It uses shared memory.", SHARED) == "confirmed"
    assert verdict("It uses shared memory.", PLAIN) == "contradicted"
    assert verdict("It uses no shared memory.", PLAIN) == "confirmed"
    assert verdict("Loads are coalesced.", PLAIN) == "confirmed"
    assert verdict("Loads are coalesced.", cuda(INDEX + "y[i] = x[i * 8];")) == "contradicted"
    assert verdict("There are no bank conflicts.", SHARED) == "contradicted"
    assert verdict("Launched with 256 threads per block.") == "confirmed"
    assert verdict("Launched with 512 threads per block.") == "contradicted"
    assert verdict("It works without atomics.") == "confirmed"


def test_what_was_found_names_its_lines():
    (found,) = check(claims("It uses shared memory."), read_kernel(SHARED), Measured())
    assert found.answer.lines == (5,)


@pytest.mark.parametrize(
    ("sentence", "kernel"),
    [
        ("It uses shared memory.", cuda("y[0] = ;;; ) x[0];")),  # part of it could not be parsed
        ("It uses shared memory.", TRITON),  # the compiler decides
        ("Loads are coalesced.", cuda(INDEX + "y[i] = x[i * n];")),  # the stride is only known at run time
        ("It uses tensor cores.", "import torch\nclass ModelNew: pass\n"),  # a library may use them
        ("It reads the row in a single pass.", PLAIN),
        ("Launched with 256 threads per block.", cuda("y[0] = x[0];", "k<<<1, n>>>(x, y, n);")),
    ],
)
def test_what_cannot_be_told_is_unknown(sentence, kernel):
    assert verdict(sentence, kernel) == "unknown"


TWO_KERNELS = PLAIN.replace(
    "__global__",
    "__global__ void count(int* n) { atomicAdd(n, 1); }\n__global__ void total(int* n) { n[0] = 0; }\n__global__",
    1,
)


def test_a_denial_that_one_of_several_kernels_belies_may_speak_of_the_others():
    (found,) = check(claims("Each block reduces without atomics."), read_kernel(TWO_KERNELS), Measured())
    assert found.answer.verdict == "unknown"
    assert "total" in found.answer.why
    assert found.answer.lines


def test_a_denial_that_every_kernel_belies_is_contradicted():
    assert verdict("It works without atomics.", cuda("atomicAdd(y, x[0]);")) == "contradicted"


def test_a_claim_before_a_correction_may_be_of_a_draft():
    text = "The row is in shared memory.\n\nWait, registers are enough.\n"
    (found,) = check(claims(text), read_kernel(PLAIN), Measured())
    assert found.answer.verdict == "unknown"
    assert "corrects itself later" in found.answer.why
    assert found.claim.corrected_at == 3
    assert verdict("Wait, no.\n\nThe row is in shared memory.\n") == "contradicted"


def test_an_element_that_all_threads_share_is_not_counted_as_neighbours():
    (found,) = check(
        claims("Loads are coalesced."), read_kernel(cuda(INDEX + "y[i] = x[i] * x[0];")), Measured()
    )
    assert found.answer.why.startswith(
        "In 2 of 3 accesses neighbouring threads access neighbouring elements; in the other 1"
    )


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The block size is 1024.", "confirmed"),
        ("The block size is 256.", "unknown"),
        ("Launched with 256 threads per block.", "confirmed"),
        ("Launched with 1024 threads per block.", "unknown"),
    ],
)
def test_a_block_of_triton_is_of_elements_and_its_threads_are_of_warps(sentence, expected):
    source = (
        "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef k(x, BLOCK: tl.constexpr):\n"
        "    tl.store(x + tl.program_id(0), 1)\n\n\ndef run(x):\n    k[(4,)](x, BLOCK=1024, num_warps=8)\n"
    )
    assert verdict(sentence, source) == expected


def test_a_sentence_about_one_access_is_not_contradicted_by_another():
    text = "Reading t[0][threadIdx.x] is conflict-free."
    assert verdict(text, SHARED) == "unknown"


def test_a_speedup_is_held_against_its_interval():
    said = "The result is 2x faster than the reference."
    assert verdict(said) == "unknown"
    assert verdict(said, speedup=2.1, speedup_high=2.2, device="H200") == "confirmed"
    assert verdict(said, speedup=1.2, speedup_high=1.3, device="H200") == "contradicted"
    assert verdict(said, speedup=1.8, speedup_high=2.1, device="H200") == "unknown"


def test_the_compilers_report_tells_registers_and_spills():
    report = ({"name": "k", "registers": 32, "spill_store_bytes": 0, "spill_load_bytes": 0},)
    assert verdict("It uses 32 registers per thread.", kernels=report) == "confirmed"
    assert verdict("It uses 40 registers per thread.", kernels=report) == "contradicted"
    assert verdict("There are no register spills.", kernels=report) == "confirmed"
    assert verdict("There are no register spills.") == "unknown"


def test_the_profile_tells_how_many_kernels_ran():
    own, other = {"name": "k", "own": True}, {"name": "cublas", "own": False}
    said = "It launches one kernel."
    assert verdict(said, gpu_kernels=(own,)) == "confirmed"
    assert verdict(said, gpu_kernels=(own, other)) == "contradicted"
    assert verdict(said) == "unknown"


WORK = {"flops": 2_000_000, "other_flops": 97_152, "double_flops": 97_152, "uncounted": []}


@pytest.mark.parametrize(
    ("sentence", "value"),
    [
        ("One call needs 2,097,152 FLOPs.", 2_097_152),
        ("In total that is 2.1 MFLOPs of work.", 2_100_000),
        ("The product takes 2.1 million floating-point operations.", 2_100_000),
        ("It does 97152 double-precision FLOPs.", 97_152),
        ("That is 4.2e9 FLOPs in single precision.", 4.2e9),
    ],
)
def test_a_total_of_operations_is_a_claim_with_its_number(sentence, value):
    [claim] = claims(sentence)
    assert (claim.kind, claim.value) == ("FLOPs", pytest.approx(value))


@pytest.mark.parametrize(
    "sentence",
    [
        "It reaches 12 TFLOP/s.",
        "The device has 19.5 TFLOPS.",
        "Each element costs 5 FLOPs per element.",
        "Would that be 4,096 FLOPs?",
        "That is 2 FLOPs for each load.",
    ],
)
def test_a_rate_or_the_work_of_one_element_is_no_total(sentence):
    assert "FLOPs" not in kinds(sentence)


@pytest.mark.parametrize(
    ("sentence", "work", "answer"),
    [
        ("One call needs 2,097,152 FLOPs.", WORK, "confirmed"),
        ("One call needs 2.1 MFLOPs.", WORK, "confirmed"),
        ("One call needs 1,048,576 FLOPs.", WORK, "unknown"),  # a multiply-add counted as one
        ("One call needs 9 GFLOPs.", WORK, "contradicted"),
        ("One call needs 97,152 FLOPs in double precision.", WORK, "confirmed"),
        ("One call needs 2,097,152 FLOPs in double precision.", WORK, "contradicted"),
        ("One call needs 2,000,000 FLOPs in single precision.", WORK, "confirmed"),
        ("One call needs 97,152 FLOPs in double precision.", {**WORK, "double_flops": None}, "unknown"),
        ("One call needs 2,097,152 FLOPs.", {}, "unknown"),
        ("One call needs 2,097,152 FLOPs.", {**WORK, "uncounted": ["topk"]}, "unknown"),
        ("One call needs 2,097,152 FLOPs.", {**WORK, "flops": None}, "unknown"),
    ],
)
def test_claimed_operations_are_checked_against_the_counted_ones(sentence, work, answer):
    assert verdict(sentence, work=work) == answer


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("One launch needs 4,096 FLOPs.", "confirmed"),
        ("One launch needs 4,000 FLOPs in single precision.", "confirmed"),
        ("One launch needs 96 FLOPs in double precision.", "confirmed"),
        ("One launch needs 4,096 FLOPs in double precision.", "unknown"),
        ("One launch needs 9 GFLOPs.", "unknown"),  # of one kernel alone, without its tensor cores
    ],
)
def test_claimed_operations_are_confirmed_by_those_that_the_profiler_counted(sentence, answer):
    assert verdict(sentence, executed=Executed(single=4_000, double=96)) == answer


def test_what_nothing_counts_is_said_to_be_not_counted():
    (found,) = check(claims("One call needs 4,096 FLOPs."), read_kernel(PLAIN), Measured())
    assert found.answer.why.startswith("Not counted")


def test_a_number_too_large_for_a_double_is_no_value():
    [found] = claims(f"The kernel uses a block size of {'9' * 400}.")
    assert (found.kind, found.value) == ("block size", None)
    assert verdict(f"The kernel uses a block size of {'9' * 400}.") in ("contradicted", "unknown")
