"""How an order goes between judge and runner: what is there when, and what each has to wait for."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from eval_app.engine.judge.clock import order_line, turns  # noqa: E402
from eval_app.engine.judge.clock.order_draw import Draw, DrawnCall  # noqa: E402
from eval_app.engine.judge.clock.order_line import OrderLine  # noqa: E402
from eval_app.engine.judge.verdicts import RejectedError, UnreadableError  # noqa: E402

TRUTH = torch.zeros(4, 6)
SHARES_NONE = lambda output: False  # noqa: E731


class HeadStarts:
    """Stands for the device: whether each head start, one after the other, is enough."""

    def __init__(self, *enough):
        self._left = list(enough)
        self.give_for_copies = lambda copies: None

    def was_enough(self):
        return self._left.pop(0)


@pytest.mark.parametrize("answer", [{"unreadable": "host memory"}, RejectedError("runtime_error", "")])
def test_what_is_queued_behind_the_gate_goes_on_where_its_results_cannot_be_read(answer):
    def give():
        if isinstance(answer, Exception):
            raise answer
        return answer

    session, opened = session_that_answers(give)
    line, place = OrderLine(session, SHARES_NONE), torch.zeros(3)
    line._number = 7
    with pytest.raises((UnreadableError, RejectedError)):
        line._run_on_gpu(Draw(torch.ones(3), []), place, ahead=True)
    assert opened == [7]
    assert place.tolist() == [1, 1, 1], "the calls are made on their own values"


def test_calls_whose_results_cannot_be_read_are_made_and_have_no_time(monkeypatch):
    session, opened = session_that_answers(lambda: {"unreadable": "host memory"})
    monkeypatch.setattr(order_line.torch.cuda, "Stream", lambda: None)
    monkeypatch.setattr(order_line.torch.cuda, "stream", lambda stream: WithoutDevice())
    call = DrawnCall("natural", {"list": []}, [], None, [TRUTH])
    window = OrderLine(session, SHARES_NONE).run(Draw(torch.ones(3, dtype=torch.uint8), [call]))
    assert window.unreadable == "host memory"
    assert opened == [1, "finish", "done"], "the candidate's device has ended the calls"
    assert session.arena.bytes_at(0, 3).tolist() == [1, 1, 1]


def session_that_answers(give):
    """Return a session with a device, whose runner's answer is `give()`, and the list of what it is asked for."""
    asked, memory = [], torch.zeros(3, dtype=torch.uint8)

    def order(message, more_s):
        if message["op"] == "finish":
            asked.append("finish")

    return SimpleNamespace(
        post=lambda order: None,
        answered=lambda seconds: True,
        answer=give,
        order=order,
        gate=SimpleNamespace(open=asked.append, say_done=lambda number: asked.append("done")),
        arena=SimpleNamespace(kind="cuda_ipc", size=3, bytes_at=lambda start, count: memory),
    ), asked


def one_by_one(monkeypatch, done, *enough):
    """Carry out an order of two calls, listing in `done` what is queued; return its window and its results' places."""
    session = SimpleNamespace(
        gate=SimpleNamespace(
            wait_done=lambda number: done.append(f"wait for {number}"),
            say_done=lambda number: None,
        ),
        order=lambda message, more_s: None,
        frozen=WithoutDevice,
    )
    calls = [DrawnCall("natural", {}, [], None, [TRUTH], place=slice(8 * n, 8 * n + 8)) for n in range(2)]
    monkeypatch.setattr(order_line, "Stopwatch", WithoutDevice)
    monkeypatch.setattr(turns, "Stopwatch", WithoutDevice)
    monkeypatch.setattr(order_line, "Dither", lambda: lambda: done.append("a delay"))
    monkeypatch.setattr(order_line, "HeadStart", lambda: HeadStarts(*enough))
    monkeypatch.setattr(order_line, "pinned_like", torch.empty_like)
    monkeypatch.setattr(order_line.torch.cuda, "Stream", lambda: None)
    monkeypatch.setattr(order_line.torch.cuda, "stream", lambda stream: WithoutDevice())
    place, values = torch.zeros(16, dtype=torch.uint8), torch.arange(16, dtype=torch.uint8)
    session.gate.open = lambda number: done.append((f"open {number}", place.tolist()))
    line = OrderLine(session, SHARES_NONE)
    line._first = 5
    results = [torch.full((4, 6), 1.0), torch.full((6, 4), 2.0).t()]
    return line._run_one_by_one(Draw(values, calls, one_by_one=True, on_host=values), place, results), results


def test_values_of_calls_that_come_one_by_one_are_there_only_once_the_results_before_are_taken(monkeypatch):
    done = []
    window, results = one_by_one(monkeypatch, done, True, True)
    assert done[:6] == [
        "a delay", ("open 5", [*range(8), *[0] * 8]), "wait for 5",
        "a delay", ("open 6", list(range(16))), "wait for 6",
    ]  # fmt: skip
    assert [result.tolist() for call in window.results for result in call] == [r.tolist() for r in results]
    assert window.results[1][0].stride() == results[1].stride()
    assert not window.late


@pytest.mark.parametrize(
    ("enough", "is_late"),
    [((False, True), True), ((True, False, False, True), False), ((True, False, False, False), True)],
    ids=["the calls", "the copies at first", "the copies each time"],
)
def test_times_that_hold_launches_of_a_busy_host_are_late(monkeypatch, enough, is_late):
    done = []
    window, _ = one_by_one(monkeypatch, done, *enough)
    assert window.late is is_late
    assert done.count("a delay") == 2 * len(enough), "the copies are weighed anew with a longer head start"


def test_results_that_lie_far_apart_are_not_copied_and_the_candidates_stream_goes_on(monkeypatch):
    opened = []
    line = OrderLine(SimpleNamespace(gate=SimpleNamespace(open=opened.append)), SHARES_NONE)
    line._number = 7
    call = DrawnCall("natural", {}, [], None, [TRUTH])
    far_apart = torch.empty(2**27, dtype=torch.float32, device="meta").as_strided((2,), (2**27 - 1,))
    place, drawn = torch.zeros(3), Draw(torch.ones(3), [call], one_by_one=True)
    with pytest.raises(UnreadableError, match="too far apart"):
        line._run_one_by_one(drawn, place, [far_apart])
    assert opened == [7]
    assert place.tolist() == [1, 1, 1]


class WithoutDevice:
    """Stands for what needs a GPU: a stopwatch by its events, or one of its streams."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def times_ms(self):
        return [0.4]


def test_the_seeds_of_random_numbers_come_with_the_order_to_call_and_not_before():
    sent = []
    session = SimpleNamespace(
        arena=SimpleNamespace(kind="memfd"),
        make_room=lambda size: None,
        order=lambda message, more_s: sent.append(message),
    )
    line = OrderLine(session, SHARES_NONE)
    line._run_on_cpu = lambda drawn, *_: sent.append(line._making(drawn))
    call = DrawnCall("natural", {"list": []}, [], 987_654_321, [TRUTH])
    line.run(Draw(torch.zeros(0, dtype=torch.uint8), [call, call]))
    stage, make = sent
    assert "987654321" not in str(stage)
    assert make["seeds"] == [987_654_321] * 2


def test_the_order_to_call_is_there_when_the_candidate_wakes_beside_its_values():
    done = []

    @contextmanager
    def frozen():
        done.append("frozen")
        yield
        done.append("awake")

    session = SimpleNamespace(
        frozen=frozen,
        post=lambda message: done.append(message["op"]),
        answer=lambda more_s: {"layouts": []},
    )
    arena = SimpleNamespace(bytes_at=lambda offset, size: done.append("values") or torch.zeros(size))
    OrderLine(session, SHARES_NONE)._run_on_cpu(Draw(torch.zeros(8), []), arena, [])
    assert done[:4] == ["frozen", "make", "values", "awake"]
