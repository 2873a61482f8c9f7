"""What each outcome and each finding means, for people: one sentence what it is, one what to make of it."""

from datasets_app.models import Outcome
from eval_app.pages.labels import LABELS, Meaning

OUTCOMES: dict[Outcome, Meaning] = {
    Outcome.PASSED: Meaning(
        "Every output that was compared matches the reference, and no check refused the kernel.",
        "It computes the task on values that it could not foresee. It is not a proof for all inputs.",
    ),
    Outcome.BUILD_ERROR: Meaning("The compiler refused the source.", "The build log names the line."),
    Outcome.BUILD_TIMEOUT: Meaning(
        "The compiler did not end in the profile's time.",
        "Often deep templates; a longer profile may settle it.",
    ),
    Outcome.LOAD_ERROR: Meaning(
        "The program could not be imported, or ModelNew could not be made.", "Nothing was compared."
    ),
    Outcome.RUNTIME_ERROR: Meaning(
        "A call of the kernel raised an exception.", "The detail holds its words."
    ),
    Outcome.ILLEGAL_MEMORY: Meaning(
        "The kernel read or wrote memory that is not its own.",
        "Outputs that looked right before prove nothing.",
    ),
    Outcome.OUT_OF_MEMORY: Meaning("It took more memory than the device or the profile has."),
    Outcome.TIMEOUT: Meaning("A call, or the whole job, did not end in the profile's time; it was killed."),
    Outcome.WRONG_STRUCTURE: Meaning(
        "The outputs differ in number, type, shape or dtype, or the weights do not fit.",
        "Values were not compared: they have no counterpart.",
    ),
    Outcome.WRONG_VALUE: Meaning(
        "Outputs lie further from the reference than the tolerance allows.", "The mismatches show where."
    ),
    Outcome.NONDETERMINISTIC: Meaning(
        "The same inputs gave a right answer once and a wrong one another time.",
        "Typical of races and of memory that is read before it is written.",
    ),
    Outcome.BROKEN_PROMISE: Meaning(
        "It overwrites an input that the reference leaves alone, gives one output buffer out twice, or returns an "
        "output that shares memory with an input.",
        "An honest author can do this without meaning harm; callers that rely on the reference's behaviour break.",
    ),
    Outcome.CHEATED: Meaning(
        "A check caught the kernel getting its result or its time by other means than computing the task.",
        "The finding of severity reject names the means and holds the evidence.",
    ),
    Outcome.INVALID_REFERENCE: Meaning(
        "The task's own program failed.", "Nothing is said about the kernel; the task needs mending."
    ),
    Outcome.UNSUPPORTED: Meaning(
        "This engine or this device cannot run such a kernel.", "Nothing is said about the kernel."
    ),
    Outcome.INFRA_ERROR: Meaning(
        "Our own machinery failed.", "Nothing is said about the kernel; ask for it again."
    ),
}

SEVERITIES = {
    "reject": "Refuses the kernel.",
    "audit": "A person should look: honest kernels can do this, and so can others.",
    "label": "Says what the kernel or the task is like; for filtering.",
}

FINDINGS: dict[str, Meaning] = {
    "runs_disagree": Meaning(
        "Two runs of one profile, on one device and under the same versions, have speedups whose intervals do not "
        "overlap.",
        "The interval of a single run says too little here; the between-run interval holds all of them.",
    ),
    "background_thread": Meaning(
        "A thread of the candidate's own changed a result after it was returned.",
        "The call handed its work to a thread that the clock does not see.",
    ),
    "background_work": Meaning(
        "The candidate kept computing while it was asked for nothing.",
        "Work between calls can prepare answers outside the clock.",
    ),
    "below_roofline": Meaning(
        "The time is shorter than the device needs to move the bytes that the task must move.",
        "The work was not done inside the clock.",
    ),
    "beyond_roofline": Meaning(
        "The time is shorter than the task's own bytes or operations take at the device's peak.",
        "The kernel may rightly skip work that the program does; a person should see which.",
    ),
    "busy_host": Meaning(
        "The clock around a call does not confirm the candidate's time; the processor time that it took does.",
        "Other work on the host explains it. Measure again on a quiet machine before the time is quoted.",
    ),
    "clock_mismatch": Meaning(
        "The candidate's own clock and the judge's disagree by more than the line between them explains.",
        "The candidate's clock is not to be believed.",
    ),
    "copied_buffers": Meaning(
        "Inputs and outputs went through the host's memory: the device's memory could not be shared here.",
        "Nothing against the kernel; the checks are the same and take longer.",
    ),
    "degenerate_task": Meaning(
        "The task's output hardly moves with its inputs, or a constant passes.",
        "A kernel that passes it proves little.",
    ),
    "engine_tampered": Meaning(
        "Functions of the engine were replaced in the candidate's own process.",
        "It meant to change how its calls are made, timed or reported.",
    ),
    "fixed_shape": Meaning(
        "It is right at the task's own sizes and not at another size that the reference takes.",
        "Nobody declared that size. Fine for a kernel made for one shape; look before it is used elsewhere.",
    ),
    "forged_message": Meaning(
        "The candidate's process wrote messages that only the engine may write.",
        "It tried to report for itself.",
    ),
    "input_mutated": Meaning(
        "The call changed its inputs, and the reference does not.",
        "A reference that runs after it sees others.",
    ),
    "large_speedup": Meaning(
        "It is ten times as fast as eager, or more; the detail says whether the judge's own clock confirms that.",
        "Honest kernels can do this where eager launches many small ones; look before you train on it.",
    ),
    "lazy_tensor": Meaning(
        "The result is no plain tensor but an object that computes when it is looked at.",
        "The work was put off until after the clock.",
    ),
    "mostly_library": Meaning(
        "Most of the GPU's time goes to kernels that a library wrote.",
        "The speed is the library's more than the kernel's own.",
    ),
    "noisy_machine": Meaning(
        "When the worker proved itself, a program timed against itself did not read 1.00: the host is busy.",
        "The verdict on correctness stands; take the speedup as a rough one.",
    ),
    "out_of_bounds_write": Meaning(
        "Guard bytes beside the outputs were overwritten.", "The kernel writes past its buffers."
    ),
    "output_aliases_input": Meaning(
        "An output shares its memory with an input.", "Harmless where nobody writes."
    ),
    "output_replayed": Meaning(
        "The output is the right answer to an earlier input.",
        "The kernel returned a result that it had kept.",
    ),
    "output_reused": Meaning(
        "The memory of one result is given out again by the next call.",
        "Fast and common; a caller who keeps results is surprised.",
    ),
    "precision_insensitive": Meaning(
        "The reference itself passes in a lower precision.",
        "A kernel that dropped precision for speed would not be noticed here.",
    ),
    "random_reference": Meaning(
        "The reference draws random numbers in its forward pass.",
        "Equality can only be checked under one seed.",
    ),
    "sanitizer_error": Meaning(
        "The memory checker counted errors while the kernel ran.",
        "Its outputs were right; it reads or writes where it must not.",
    ),
    "threads_grow": Meaning(
        "The candidate has more threads after some calls than after the first.",
        "Threads may work outside the clock.",
    ),
    "unsteady_output": Meaning(
        "Repeats of the same inputs differ by more than the tolerance.",
        "A race, or memory that was never written.",
    ),
    "varying_bits": Meaning(
        "Repeats differ in their last bits, within the tolerance.", "Usual for atomic additions of floats."
    ),
    "weights_seeded": Meaning(
        "The candidate did not take the reference's weights by value: other names, or changed when it is built. Both "
        "were made under one seed.",
        "A wrong value may come from weights made in another order; trained weights cannot simply be loaded into it.",
    ),
    "work_after_return": Meaning(
        "A result changed after it was returned.", "The call had not finished when it said so."
    ),
    "work_outside_window": Meaning(
        "Work went on after the timed window closed.", "The clock did not see all of it."
    ),
    "wrong_later": Meaning(
        "Outputs were right in calls of their own and wrong later, or in several calls in a row.",
        "The kernel told a trial from a timing.",
    ),
}


def explained(code: str) -> bool:
    return code in FINDINGS or code in LABELS
