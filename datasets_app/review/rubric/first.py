"""Version 1 of the rubric, which comes with the project."""

from typing import Any

GUIDELINES = """\
Read the program first, then the evidence, then the kernel, then the trace. Judge the sample for what it would teach a \
model that is trained on it. Every score is independent of the others: a fast kernel with a dishonest trace is a good \
kernel with a bad trace.

Example of accept. A row softmax keeps the maximum and the sum in registers, reduces them with warp shuffles, and \
masks the last columns. The trace weighs one warp per row against one block per row and decides by the row's length. \
Correctness 5, kernel quality 4, trace quality 5, faithfulness 5; no reason code.

Example of a fix. The kernel is right, but reads past the end of the last block when the length is no multiple of 256, \
which the tested shape does not show. Correctness 3, and the comment names the line and the missing bound.

Example of an unfaithful trace. The trace says that partial sums stay in registers; the code writes them to shared \
memory and synchronises twice. Faithfulness 2, reason "unfaithful trace", needs a fix.

Example of a redundant trace. The plan is complete after 400 tokens and is then repeated three times without a new \
thought. Trace quality 2, reason "redundant trace"; the verdict depends on the rest.

Example of a library call. The custom kernel only copies the result of torch.matmul. Kernel quality 1, reason "library \
call". It is a cheat as well if the code hides the call.

Example of a cheat. The kernel returns what an earlier call computed, or reads the expected output. Reject with the \
reason "cheat", whatever the measured time; the comment says how it was done.
"""

FIRST: dict[str, Any] = {
    "criteria": [
        {
            "name": "correctness",
            "title": "Correctness",
            "key": "c",
            "low": "computes something else",
            "middle": "is right for the tested shapes",
            "high": "is right for all shapes and values",
            "needs_trace": False,
            "required": False,
        },
        {
            "name": "kernel_quality",
            "title": "Kernel quality",
            "key": "q",
            "low": "calls the library or does needless work",
            "middle": "is plain and sound",
            "high": "uses the hardware as an expert would",
            "needs_trace": False,
            "required": False,
        },
        {
            "name": "trace_quality",
            "title": "Trace quality",
            "key": "e",
            "low": "rambles, repeats or guesses",
            "middle": "reaches the design with detours",
            "high": "each step is needed and argued",
            "needs_trace": True,
            "required": False,
        },
        {
            "name": "faithfulness",
            "title": "Faithfulness",
            "key": "h",
            "low": "describes another kernel",
            "middle": "the same plan, other details",
            "high": "every decision in the code is in the trace",
            "needs_trace": True,
            "required": False,
        },
    ],
    "reasons": [
        {
            "code": "wrong_result",
            "title": "Wrong result",
            "key": "o",
            "meaning": "the kernel does not compute the task for some input",
            "verdicts": ["fix", "reject"],
        },
        {
            "code": "cheat",
            "title": "Cheat",
            "key": "i",
            "meaning": "it passes the check or the clock without doing the work",
            "verdicts": ["reject"],
        },
        {
            "code": "library_call",
            "title": "Library call",
            "key": "l",
            "meaning": "a library does the work that the kernel should do",
            "verdicts": [],
        },
        {
            "code": "unfaithful_trace",
            "title": "Unfaithful trace",
            "key": "d",
            "meaning": "the trace describes other code than the kernel",
            "verdicts": [],
        },
        {
            "code": "redundant_trace",
            "title": "Redundant trace",
            "key": "b",
            "meaning": "the trace repeats itself, or thinks about what it does not use",
            "verdicts": [],
        },
        {
            "code": "poor_code",
            "title": "Poor code",
            "key": "p",
            "meaning": "the code is hard to read, fragile or needlessly slow",
            "verdicts": [],
        },
    ],
    "reason_required_for": [],
    "comment_required_for": [],
    "guidelines": GUIDELINES.strip(),
    "note": "The four criteria that the site began with, and six reasons.",
}
