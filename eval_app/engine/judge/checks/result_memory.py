"""What becomes of a result once it is returned: its holder may keep it, write into it, and drop it."""

from __future__ import annotations

import secrets
import time

import torch

from eval_app.engine.judge.calls.runner_channel import forged
from eval_app.engine.judge.checks.trials import Trials
from eval_app.engine.judge.comparison.compare import compare
from eval_app.engine.judge.task.cases import each_has_same_bits
from eval_app.engine.judge.verdicts import RejectedError
from eval_app.engine.shared.arena import Slot
from eval_app.engine.shared.trees import MAX_HELD, count_held, is_kept

# Share of a job's time for the calls of one look further back.
_TIME_SHARE = 1 / 40
# Calls after a result that is looked at again, at least; at most as many results are held.
_FEWEST_AFTER = 3
# Calls after results were written into and dropped: the first may get memory that was dropped before.
_CALLS_AFTER_WRITING = 3


def look(trials: Trials, total_s: float) -> None:
    """Check what becomes of results in later calls, within a share of the job's `total_s` seconds."""
    look_back(trials)
    look_further_back(trials, total_s)
    look_at_what_is_given_out_again(trials)


def look_back(trials: Trials) -> None:
    """Check that an output stays unchanged during the next call: no late writes, no reused buffer."""
    maker = trials.maker
    earlier = maker.make()
    name, first = earlier.name, trials.check(earlier)
    before = [output.clone() for output in first.outputs]
    del earlier  # a case of a large task is a good part of the device
    later = maker.make()
    second = trials.check(later)
    if [s.spec for s in first.slots] != [s.spec for s in second.slots]:
        return
    reused = f"the result of trial {name} was overwritten by the next call: its memory is given out twice"
    again = _read_again(trials, first.slots, 1, reused)
    changed = [n for n, same in enumerate(each_has_same_bits(before, again)) if not same]
    if not changed:
        return
    tolerance = trials.tolerance(own=False)
    pairs = [(again[n].to(later.truth[n].device), later.truth[n]) for n in changed]
    if not any(compare(now, truth, tolerance).wrong for now, truth in pairs):
        raise reuse(reused)
    text = f"the result of trial {name} changed after it was returned"
    raise RejectedError("cheated", text, [("work_after_return", text)])


def look_further_back(trials: Trials, total_s: float) -> None:
    """Check that results stay unchanged during several calls after them, as far as the runner holds them: a few buffers
    may be given out in turns. How many calls there are is drawn, and fewer where they take a good share of
    the job's `total_s` seconds."""
    slots: list[list[Slot]] = []
    outputs: list[list[torch.Tensor]] = []
    until = time.monotonic() + _TIME_SHARE * total_s
    for _ in range(1 + _FEWEST_AFTER + secrets.randbelow(MAX_HELD - _FEWEST_AFTER)):
        case = trials.maker.make()
        if not (case.truth and is_kept(case.truth)):
            return
        result = trials.check(case)
        if case.aliases or result.reply.aliases_input:  # the judge's next inputs lie there
            return
        slots.append(trials.session.layout(case, 0)[0].outputs)
        outputs.append([output.clone() for output in result.outputs])
        if time.monotonic() > until:
            break
    for back in range(1, count_held(outputs)):
        reused = f"the result of a call was overwritten within the {back} calls after it"
        again = _read_again(trials, slots[-1 - back], back, reused)
        if not all(each_has_same_bits(outputs[-1 - back], again)):
            raise reuse(reused)


def look_far_back(trials: Trials) -> None:
    """Check that the first result is unchanged after all calls since, unless it is large: a candidate may have many
    buffers, which it gives out in turns."""
    case = trials.first
    if case is None or not (case.truth and trials.first_is_own and is_kept(case.truth)):
        return
    again = trials.session.recopy(trials.session.layout(case, 0)[0].outputs, back=-1)
    if trials.reviewed(case, again).total.wrong:
        raise reuse(f"the result of the first call was overwritten within the {trials.trials} calls after it")


def look_at_what_is_given_out_again(trials: Trials) -> None:
    """Check that results of two calls share no memory, and that what a caller writes into one before it drops it is not
    in a later one, unless they are large or the reference does the same."""
    case = trials.maker.make()
    if not (case.truth and is_kept(case.truth)):
        return
    kept = {*case.aliases, *trials.maker.given_out_again(case)}
    trials.session.post({"op": "write_into_results", "kept": sorted(kept)})
    shared = trials.session.answer().get("shared")
    places = [place for place, form in case.wanted if "tensor" in form]
    if not isinstance(shared, list) or not all(_is_place(number, len(places)) for number in shared):
        raise forged("no numbers of results")
    if shared := [number for number in shared if number not in kept]:
        named = ", ".join(places[number] for number in shared[:6])
        raise reuse(f"{named} of two calls share memory: whoever writes into one result changes the other")
    for _ in range(_CALLS_AFTER_WRITING):
        difference = trials.another_difference(case)
        if difference.unwritten:  # NaN, as was written
            trials.maker.confirm(case, trials.tolerance_of(case))
            raise reuse(
                "what was written into a result before it was dropped is in the result of a later call"
            )
        if difference.wrong:  # otherwise, as any other call may be
            trials.check(case)


def _read_again(trials: Trials, slots: list[Slot], back: int, reused: str) -> list[torch.Tensor]:
    """Return the result of an earlier call as it is now. Raises RejectedError, which says `reused`, where reading it
    fails."""
    try:
        return trials.session.recopy(slots, back=back)
    except RejectedError as error:
        if error.outcome != "runtime_error":
            raise
        text = f"{reused}; reading it raises {error.detail}"  # torch's CUDA graphs watch over theirs
        raise reuse(text) from None


def _is_place(number: object, count: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < count


def reuse(text: str) -> RejectedError:
    """Return the rejection of memory that is given out again while it may be in use."""
    return RejectedError("broken_promise", text, [("output_reused", text)])
