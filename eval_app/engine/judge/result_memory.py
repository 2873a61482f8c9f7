"""What becomes of a result once it is returned: its holder may keep it, write into it, and drop it."""

from __future__ import annotations

from eval_app.engine.judge.cases import each_has_same_bits
from eval_app.engine.judge.compare import compare
from eval_app.engine.judge.runner_channel import forged
from eval_app.engine.judge.trials import Trials
from eval_app.engine.judge.verdicts import RejectedError
from eval_app.engine.shared.trees import is_kept


def look_back(trials: Trials) -> None:
    """Check that an output stays unchanged during the next call: no late writes, no reused buffer."""
    session, maker = trials.session, trials.maker
    earlier = maker.make()
    name, first = earlier.name, trials.check(earlier)
    before = [output.clone() for output in first.outputs]
    del earlier  # a case of a large task is a good part of the device
    later = maker.make()
    second = trials.check(later)
    if [s.spec for s in first.slots] != [s.spec for s in second.slots]:
        return
    reused = f"the result of trial {name} was overwritten by the next call: its memory is given out twice"
    try:
        again = session.recopy(first.slots, back=1)
    except RejectedError as error:
        if error.outcome != "runtime_error":
            raise
        text = f"{reused}; reading it raises {error.detail}"  # torch's CUDA graphs watch over theirs
        raise reuse(text) from None
    if all(each_has_same_bits(before, again)):
        return
    tolerance = trials.tolerance(own=False)
    as_later = [compare(a.to(t.device), t, tolerance).wrong for a, t in zip(again, later.truth, strict=True)]
    if not any(as_later):
        raise reuse(reused)
    text = f"the result of trial {name} changed after it was returned"
    raise RejectedError("cheated", text, [("work_after_return", text)])


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
    difference = trials.another_difference(case)
    if difference.unwritten:  # NaN, as was written
        trials.maker.confirm(case, trials.tolerance_of(case))
        raise reuse("what was written into a result before it was dropped is in the result of a later call")
    if difference.wrong:  # otherwise, as any other call may be
        trials.check(case)


def _is_place(number: object, count: int) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < count


def reuse(text: str) -> RejectedError:
    """Return the rejection of memory that is given out again while it may be in use."""
    return RejectedError("broken_promise", text, [("output_reused", text)])
