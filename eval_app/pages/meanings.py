"""Meanings of each outcome and each finding, for people: what was observed, and what to conclude or to do."""

from datasets_app.models import Outcome
from eval_app.pages.labels import LABELS, Meaning

OUTCOMES: dict[Outcome, Meaning] = {
    Outcome.PASSED: Meaning(
        "Every compared output matches the reference, and no check refused the kernel.",
        "The kernel is correct on inputs that it could not foresee. This is a test, not a proof for all inputs.",
    ),
    Outcome.BUILD_ERROR: Meaning("The compiler rejected the source.", "The build log has every message."),
    Outcome.BUILD_TIMEOUT: Meaning(
        "Compilation exceeded the profile's time limit.",
        "Deeply nested templates often cause this. Retry with a profile that allows more time.",
    ),
    Outcome.LOAD_ERROR: Meaning(
        "The program could not be imported, or ModelNew could not be created.", "No output was compared."
    ),
    Outcome.RUNTIME_ERROR: Meaning("A call of the kernel raised an exception.", "See the exception message."),
    Outcome.ILLEGAL_MEMORY: Meaning(
        "The kernel read or wrote memory outside its buffers.",
        "Outputs of earlier calls may be correct by chance only.",
    ),
    Outcome.OUT_OF_MEMORY: Meaning(
        "The kernel needed more memory than the device has or the profile allows.",
        "Retry on a device with more memory, or with a profile that allows more.",
    ),
    Outcome.TIMEOUT: Meaning(
        "A call, or the whole job, exceeded the profile's time limit and was killed.",
        "The kernel may hang or be very slow; the detail names the stage.",
    ),
    Outcome.WRONG_STRUCTURE: Meaning(
        "The outputs differ in number, type, shape or dtype, or the weights do not fit.",
        "Values were not compared.",
    ),
    Outcome.WRONG_VALUE: Meaning(
        "Outputs differ from the reference by more than the tolerance.", "The mismatches show where."
    ),
    Outcome.NONDETERMINISTIC: Meaning(
        "The same inputs gave a correct output in one run and a wrong one in another.",
        "Race conditions and uninitialised memory are the usual causes.",
    ),
    Outcome.BROKEN_PROMISE: Meaning(
        "The outputs are correct, but the kernel overwrites an input that the reference does not change, or returns "
        "memory that an earlier call returned.",
        "This need not be deliberate, but callers that rely on the reference's behaviour break. No speedup is stored.",
    ),
    Outcome.CHEATED: Meaning(
        "A check detected that the result or the time was obtained by other means than computing the task.",
        "The finding of severity reject names the method and contains the evidence.",
    ),
    Outcome.INVALID_REFERENCE: Meaning(
        "The task's reference program failed.",
        "This says nothing about the kernel. Correct the task, then verify again.",
    ),
    Outcome.UNSUPPORTED: Meaning(
        "This engine or this device cannot run such a kernel.",
        "This says nothing about the kernel. Verify it on a device that supports it.",
    ),
    Outcome.INFRA_ERROR: Meaning(
        "The verification system itself failed.", "This says nothing about the kernel. Verify it again."
    ),
}

SEVERITIES = {
    "reject": "Refuses the kernel.",
    "audit": "A person should check this: honest kernels can cause it, and so can dishonest ones.",
    "label": "Describes the kernel or the task; for filtering.",
}

FINDINGS: dict[str, Meaning] = {
    "runs_disagree": Meaning(
        "Two runs with the same profile, device and versions have different outcomes, or speedups whose intervals do "
        "not overlap.",
        "A kernel that passes only now and then is not reliable: look at the runs that failed. Where times differ, use "
        "the between-run interval, which contains all of them.",
    ),
    "assumes_no_negatives": Meaning(
        "The task never draws values below zero, or none above it, or sets a weight to one positive value, and the "
        "kernel is wrong on the others, which the reference takes.",
        "Honest where such values never come; a ReLU may be missing. Read what it does with the sign.",
    ),
    "assumes_none_empty": Meaning(
        "The task draws no mask that leaves out a whole row, or no label without members; the kernel is wrong on such "
        "ones, which the reference takes.",
        "Honest where none come. A least count, or what becomes of a row that is masked as a whole, may be left out.",
    ),
    "background_thread": Meaning(
        "A thread of the candidate changed a result after it was returned.",
        "Part of the work ran in a thread, outside the timed call.",
    ),
    "background_work": Meaning(
        "The candidate used a processor or the device between calls.",
        "Work between calls can prepare answers outside the timed calls.",
    ),
    "below_roofline": Meaning(
        "The time is shorter than the device needs to move the bytes that the task must move.",
        "The work was not done within the timed call.",
    ),
    "beyond_roofline": Meaning(
        "The time is shorter than the task's own bytes or operations need at the device's peak rate.",
        "The kernel may legitimately skip work that the reference does. Check which work.",
    ),
    "busy_host": Meaning(
        "The wall clock does not confirm the candidate's time; the processor time does.",
        "Other work on the host explains the difference. Measure again on an idle machine before quoting the time.",
    ),
    "clock_mismatch": Meaning(
        "A call takes more than twice as long by the judge's clock as the candidate's process says.",
        "The candidate's times cannot be trusted.",
    ),
    "config_untried": Meaning(
        "A declared configuration was not tried: the time or the memory for it had been used up.",
        "Nothing shows that the kernel is right there. Verify again with a longer time limit.",
    ),
    "copied_buffers": Meaning(
        "Inputs and outputs were copied through host memory, because device memory could not be shared here.",
        "This is no fault of the kernel. The checks are the same and take longer.",
    ),
    "degenerate_task": Meaning(
        "The task's output hardly depends on its inputs, or a constant passes.",
        "A pass of this task says little about a kernel.",
    ),
    "engine_tampered": Meaning(
        "Functions of the engine were replaced in the candidate's process.",
        "The candidate tried to change how its calls are made, timed or reported.",
    ),
    "fixed_shape": Meaning(
        "The kernel is correct at the task's own sizes and wrong at another size that the reference accepts.",
        "The task does not declare that size. Check the kernel before you use it with other shapes.",
    ),
    "forged_message": Meaning(
        "The candidate's process wrote messages that only the engine may write.",
        "The candidate tried to report its own result.",
    ),
    "input_mutated": Meaning(
        "A call changed its inputs, or its backward pass the upstream gradient, otherwise than the reference does.",
        "Code that uses these tensors afterwards reads changed values.",
    ),
    "inputs_constant": Meaning(
        "The task never varies some of its inputs, or leaves them at their defaults, and no trial could vary them.",
        "A kernel that leaves them out would pass. Read what it does with them.",
    ),
    "large_speedup": Meaning(
        "The kernel is at least ten times as fast as eager.",
        "Fusing many small operations can achieve this. Check the kernel before you train on it.",
    ),
    "lazy_tensor": Meaning(
        "The result is not a plain tensor but an object that computes when it is read.",
        "The work was deferred until after the timed call.",
    ),
    "mode_ignored": Meaning(
        "The output is right in the mode that the task's model is in, and wrong in the other, as after model.eval().",
        "A batch norm or a dropout of the kernel's own may not read self.training: look at it before it is deployed.",
    ),
    "mostly_library": Meaning(
        "Most of the GPU time is spent in kernels of a library.",
        "The speed is mostly that of the library, not of the submitted kernel.",
    ),
    "noisy_machine": Meaning(
        "In the worker's self-test a program timed against itself did not read 1.00: the host is busy.",
        "The verdict on correctness is valid; treat the speedup as approximate.",
    ),
    "out_of_bounds_write": Meaning(
        "Guard bytes next to the outputs were overwritten.", "The kernel writes beyond its buffers."
    ),
    "activations_overwritten": Meaning(
        "Gradients are wrong if the module is called again before the backward pass.",
        "It keeps tensors for the backward pass on itself. Shared layers and accumulated gradients get wrong ones.",
    ),
    "output_aliases_input": Meaning(
        "An output shares its memory with an input.", "Harmless unless a caller writes to either of them."
    ),
    "gradients_not_finite": Meaning(
        "Where values are zeros, gradients are NaN or infinite; the task's own program gives finite ones there.",
        "A root or a quotient at zero has no gradient. One padded row ends a training with this kernel.",
    ),
    "inputs_spared": Meaning(
        "The task's own program changes an input, or a list or dict that it is given; the kernel leaves it as it was.",
        "Harmless where that is a by-product. Of a cache or an optimiser's state it leaves out work: look at it.",
    ),
    "output_layout": Meaning(
        "An output lies in memory in another order than the reference's.",
        "Usually a transposed view. The values are right; what reads them next may be slower, which no time shows.",
    ),
    "output_replayed": Meaning(
        "The output is the correct answer to an earlier input.",
        "The kernel returned a stored result instead of computing one.",
    ),
    "output_reused": Meaning(
        "A later call, or backward pass, returns memory that an earlier one returned.",
        "This is fast and common, but a caller that keeps results, or writes into one, finds others changed.",
    ),
    "precision_insensitive": Meaning(
        "The reference itself passes in a lower precision.",
        "A kernel that reduces precision for speed would not be detected here.",
    ),
    "random_reference": Meaning(
        "The reference draws random numbers in its forward pass.",
        "Outputs can only be compared under one seed.",
    ),
    "rounding_decides": Meaning(
        "Elements differ by more than the tolerance where the reference itself changes as much with the last bits of "
        "its inputs.",
        "Usual beside a rounding, a comparison or a tie, and where half precision rounds between steps.",
    ),
    "sanitizer_error": Meaning(
        "The memory checker reported errors while the kernel ran.",
        "The outputs were correct, but the kernel reads or writes memory that it must not.",
    ),
    "threads_grow": Meaning(
        "The candidate has more threads after some calls than after the first.",
        "Threads may do work outside the timed calls.",
    ),
    "time_unconfirmed": Meaning(
        "The judge's own clock, over many calls as one piece of work, does not confirm the candidate's time.",
        "The times shown are the judge's, where it has any. They give no speedup to rank by: measure again.",
    ),
    "uncalibrated": Meaning(
        "The profile asks for a tolerance of the task's own, and none could be found.",
        "KernelBench's tolerance was used instead; a loss of precision may go unnoticed.",
    ),
    "unsteady_output": Meaning(
        "Repeated calls with the same inputs differ by more than the tolerance.",
        "Look for a race condition or uninitialised memory.",
    ),
    "varying_bits": Meaning(
        "Repeated calls differ in their last bits, within the tolerance.",
        "Usual for atomic additions of floats.",
    ),
    "weight_gradients_unchecked": Meaning(
        "Gradients were asked for, and the kernel's weights have other names than the reference's.",
        "Only the inputs' gradients were compared. Check that the backward pass gives those of the weights.",
    ),
    "weights_ignored": Meaning(
        "The output does not follow weights that the task sets to one value throughout, such as a bias of zeros.",
        "The kernel may leave them out, which shows once they are trained, or read them only when it is built.",
    ),
    "weights_overwritten": Meaning(
        "Calls change weights that the module was given, which the reference leaves alone.",
        "What is saved afterwards, or trained on, is not the model that was loaded.",
    ),
    "weights_seeded": Meaning(
        "The candidate could not load the reference's weights: their names differ, or they change when the model "
        "is created. Both models were created under one seed instead.",
        "A wrong value may result from weights created in another order; trained weights cannot simply be loaded.",
    ),
    "work_after_return": Meaning(
        "A result changed after it was returned.", "The call returned before its work was finished."
    ),
    "work_outside_window": Meaning(
        "Work continued after the timed window.", "The measured time does not include all of the work."
    ),
    "wrong_later": Meaning(
        "Outputs were correct in single calls and wrong later, or in several calls in a row.",
        "The kernel behaves differently when it is timed.",
    ),
}


def explained(code: str) -> bool:
    return code in FINDINGS or code in LABELS
