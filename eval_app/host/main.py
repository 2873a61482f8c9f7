"""The worker process: start it, run its self-test, consume jobs, stop it within seconds."""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import FrameType
from typing import Any

import redis
from celery import signals

from datasets_app.log_context.formatters import formatter
from eval_app.broker.celery_app import VERIFY_TASK, host_queue, is_for, make_app, run_worker
from eval_app.broker.message_locks import MessageLocks
from eval_app.broker.messages.celery_messages import accept_signed_only
from eval_app.broker.messages.keys import HostKey, HostKeyError, label_from, worker_name
from eval_app.engine.hardware.device import DeviceError
from eval_app.host import environment as environment_of_process
from eval_app.host.answer import DRAINING, PAUSED, Answer
from eval_app.host.assignment_runner import AssignmentRunner, Bench
from eval_app.host.environment import Environment, VariableError
from eval_app.host.heartbeat import Heartbeat, RunningAssignments
from eval_app.host.identity import Identity, take_identity
from eval_app.host.key import take_key
from eval_app.host.outbox import Outbox
from eval_app.host.serving import ServedQueues
from eval_app.host.site_channel import SiteChannel

log = logging.getLogger("eval_app.host")
STOP_WITHIN_SECONDS = 8.0
PROVE_AGAIN_SECONDS = 20.0
FIRST_ANSWER_SECONDS = 30.0  # between two lines of the log
REFUSED = 3  # exit status if the site refuses the worker


@dataclass
class WorkerState:
    """Result of the self-test, shown on the site."""

    state: str = "testing"
    detail: str = "The self-test is running."
    since: str = field(default_factory=lambda: datetime.now(UTC).isoformat())

    def become(self, state: str, detail: str) -> None:
        """Change the state."""
        self.state, self.detail = state, detail


def main(make_bench: Callable[[Environment], Bench]) -> int:
    """Run a worker until it is told to stop. Return the exit status: 2 where it cannot start."""
    handler = logging.StreamHandler()
    handler.setFormatter(formatter("readable"))
    logging.basicConfig(handlers=[handler], level=logging.INFO)
    os.umask(0o077)  # reports and programs are their owner's alone; the engine opens what its sandboxes read
    try:
        environment = environment_of_process.read()
        key = take_key(environment.data_folder)
        bench = make_bench(environment)
    except (VariableError, HostKeyError, DeviceError) as error:
        log.error("%s", error)
        return 2
    logging.getLogger().setLevel(environment.log_level)
    handler.setFormatter(formatter(environment.log_format))
    identity = take_identity(environment.data_folder / "workers", environment.worker_name)
    return WorkerProcess(environment.redis_url, key, identity, bench).run()


class WorkerProcess:
    """One worker process: bench, heartbeat, and Celery with one thread per job slot."""

    def __init__(self, redis_url: str, key: HostKey, identity: Identity, bench: Bench) -> None:
        self.key, self.identity, self.bench = key, identity, bench
        label = label_from(identity.name)
        self.name = worker_name(key.name, label)
        # Without Celery's Django part, whatever the environment says.
        self.app = make_app(redis_url, fixups=[])
        self.stopping = threading.Event()
        self.health = WorkerState()
        self.assignments = RunningAssignments()
        client = redis.Redis.from_url(redis_url, socket_timeout=10, socket_connect_timeout=5)
        channel = SiteChannel(client, key, label)
        locks = MessageLocks(client, self.name)
        self.refusal = ""
        self.outbox = Outbox(identity.folder / "outbox", channel, self.stopping.is_set)
        self.runner = AssignmentRunner(bench, locks, self.outbox, self.assignments, self.stopping)
        self.hold = ""
        self.served = ServedQueues(self.app, bench.kinds)
        self.heartbeat = Heartbeat(channel, locks, self.assignments, self.facts, self.obey)

    def facts(self) -> dict[str, Any]:
        """Return what the worker announces."""
        return {
            **self.bench.describe(),
            "state": self.health.state,
            "healthy": self.health.state == "ready",
            "health_detail": self.health.detail,
            "queues": self.bench.kinds,
            "hold": self.hold,
            "lanes": self.bench.lanes,
            "busy": len(self.assignments.running()),
            "started_at": self.health.since,
        }

    def run(self) -> int:
        """Run until stopped; return the exit status."""
        signal.signal(signal.SIGTERM, leave)
        self.heartbeat.start()
        try:
            self.wait_until_healthy()
            queues = self.wait_for_queues()
            threading.Thread(target=self.outbox.deliver_leftovers, name="leftovers", daemon=True).start()
            self.consume(queues)
        except KeyboardInterrupt:
            log.info("Stopped before it took jobs")
        finally:
            self.health.become("stopped", self.refusal or "It was stopped.")
            self.heartbeat.end()
            self.bench.close()
        return REFUSED if self.refusal else 0

    def obey(self, answer: Answer) -> None:
        """Follow the site's answer: leave, serve other queues, take nothing new, or take jobs again."""
        if answer.refusal:
            self.leave_refused(answer.refusal)
            return
        self.served.set(answer.queues)
        held = answer.hold in (PAUSED, DRAINING)
        (self.runner.held.set if held else self.runner.held.clear)()
        if answer.hold == PAUSED:
            self.assignments.cancel_all()
        if answer.hold != self.hold:
            self.hold = answer.hold
            log.info("The site has this host %s", self.hold or "take jobs again")
            self.heartbeat.quietly(self.heartbeat.announce)

    def leave_refused(self, reason: str) -> None:
        """Stop, because the site refuses this host and every job would be run in vain."""
        if not self.refusal:
            log.error("The site refuses this host: %s", reason)
            self.refusal = reason
            os.kill(os.getpid(), signal.SIGTERM)

    def wait_until_healthy(self) -> None:
        """Repeat the self-test until it passes; no jobs are taken before."""
        log.info("%s runs its self-test for: %s", self.name, ", ".join(self.bench.kinds))
        while True:
            passed, detail = self.bench.run_selftest()
            if passed:
                break
            self.health.become("unhealthy", detail)
            log.error(
                "The self-test failed, so no jobs are taken; next attempt in %.0f s. %s",
                PROVE_AGAIN_SECONDS,
                detail,
            )
            self.heartbeat.quietly(self.heartbeat.announce)
            time.sleep(PROVE_AGAIN_SECONDS)
        self.health.become("ready", detail)
        self.heartbeat.quietly(self.heartbeat.announce)
        log.info("The self-test passed: %s", detail)

    def wait_for_queues(self) -> list[str]:
        """Wait until the site names queues, and return them: what was paused or drained stays so after a restart."""
        while not (queues := list(self.served.wanted)):
            if not self.served.named.wait(FIRST_ANSWER_SECONDS):
                log.info(
                    "No jobs are taken: %s",
                    f"this host is {self.hold}" if self.hold else "the site is silent",
                )
        return queues

    def consume(self, queues: list[str]) -> None:
        """Run Celery's own worker until SIGTERM or SIGINT."""
        self.app.task(name=VERIFY_TASK)(self.verify)
        signals.setup_logging.connect(keep_logging, weak=False)
        signals.worker_shutting_down.connect(self.stop, weak=False)
        signals.worker_ready.connect(self.begin, weak=False)
        kinds = self.bench.kinds
        accept_signed_only(self.app, lambda: self.key.site_public, lambda queue: is_for(queue, kinds))
        self.app.conf.task_queues = [host_queue(name) for name in queues]
        log.info("Taking work from %s, %d at once", ", ".join(queues), self.bench.lanes)
        run_worker(self.app, f"verify@{self.name}", queues, self.bench.lanes)

    def begin(self, sender: Any, **_: Any) -> None:
        """Let the site's answers change the queues from now on."""
        self.served.begin(sender)

    def verify(self, message: Any) -> None:
        """Run the Celery task. Its threads only coordinate; the engine's processes do the work."""
        self.runner.work(message)

    def stop(self, **_: Any) -> None:
        """Return running jobs. Called from Celery's signal handler, so it only sets flags and starts a thread."""
        self.stopping.set()
        threading.Thread(target=self.see_it_through, name="stopper", daemon=True).start()

    def see_it_through(self) -> None:
        """Exit within the time limit; jobs that do not stop are repeated by another worker."""
        self.assignments.close()
        time.sleep(STOP_WITHIN_SECONDS)
        log.warning("Not all jobs stopped within %.0f s; their leases will expire", STOP_WITHIN_SECONDS)
        self.bench.close()
        os._exit(REFUSED if self.refusal else 0)


def keep_logging(**_: Any) -> None:
    """Do nothing: a connected handler stops Celery from configuring logging."""


def leave(signum: int, frame: FrameType | None) -> None:
    """Handle SIGTERM before Celery has its own handler."""
    raise KeyboardInterrupt
