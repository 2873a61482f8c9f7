"""Start a worker, keep it honest, stop it within seconds."""

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
from kombu import Exchange, Queue

from eval_app.broker.celery_app import VERIFY_TASK, make_app, run_worker, verify_queue
from eval_app.broker.message_locks import Claims
from eval_app.broker.messages.celery_messages import accept_signed_only
from eval_app.broker.messages.keys import HostKey, HostKeyError, label_from, worker_name
from eval_app.host import environment as environment_of_process
from eval_app.host.environment import Environment, VariableError
from eval_app.host.identity import Identity, take_identity
from eval_app.host.key import take_key
from eval_app.host.line import Line, Outbox
from eval_app.host.pulse import Desk, Pulse
from eval_app.host.worker import Bench, Host

log = logging.getLogger("eval_app.host")
STOP_WITHIN_SECONDS = 8.0
PROVE_AGAIN_SECONDS = 20.0
REFUSED = 3  # exit status of a worker that the site refuses


@dataclass
class Health:
    """What the self-test said, for the site to show."""

    state: str = "testing"
    detail: str = "The self-test is running."
    since: str = field(default_factory=lambda: datetime.now(UTC).isoformat())

    def become(self, state: str, detail: str) -> None:
        self.state, self.detail = state, detail


def main(make_bench: Callable[[Environment], Bench]) -> int:
    """Run a worker until it is told to stop. Return the exit status: 2 where it cannot start."""
    logging.basicConfig(format="{asctime} {levelname:<7} {name}: {message}", style="{", level=logging.INFO)
    os.umask(0o077)  # reports and programs are their owner's alone; the engine opens what its sandboxes read
    try:
        environment = environment_of_process.read()
        key = take_key(environment.data_folder)
    except (VariableError, HostKeyError) as error:
        log.error("%s", error)
        return 2
    logging.getLogger().setLevel(environment.log_level)
    identity = take_identity(environment.data_folder / "workers", environment.worker_name)
    return Worker(environment.redis_url, key, identity, make_bench(environment)).run()


class Worker:
    """One process: the bench, the pulse, and Celery with a thread a lane."""

    def __init__(self, redis_url: str, key: HostKey, identity: Identity, bench: Bench) -> None:
        self.key, self.identity, self.bench = key, identity, bench
        label = label_from(identity.name)
        self.name = worker_name(key.name, label)
        self.app = make_app(
            redis_url, fixups=[]
        )  # without Celery's Django part, whatever the environment says
        self.stopping = threading.Event()
        self.health = Health()
        self.desk = Desk()
        client = redis.Redis.from_url(redis_url, socket_timeout=10, socket_connect_timeout=5)
        line = Line(client, key, label)
        claims = Claims(client, self.name)
        self.refusal = ""
        self.outbox = Outbox(identity.folder / "outbox", line, self.stopping.is_set)
        self.host = Host(bench, claims, self.outbox, self.desk, self.stopping)
        self.pulse = Pulse(line, claims, self.desk, self.facts, self.leave_refused)

    def facts(self) -> dict[str, Any]:
        """What the worker announces."""
        return {
            **self.bench.describe(),
            "state": self.health.state,
            "healthy": self.health.state == "ready",
            "health_detail": self.health.detail,
            "queues": self.bench.kinds,
            "lanes": self.bench.lanes,
            "busy": len(self.desk.running()),
            "started_at": self.health.since,
        }

    def run(self) -> int:
        signal.signal(signal.SIGTERM, leave)
        self.pulse.start()
        try:
            self.prove()
            threading.Thread(target=self.outbox.deliver_leftovers, name="leftovers", daemon=True).start()
            self.consume()
        except KeyboardInterrupt:
            log.info("Stopped while proving itself")
        finally:
            self.health.become("stopped", "It was stopped.")
            self.pulse.end()
            self.bench.close()
        return REFUSED if self.refusal else 0

    def leave_refused(self, reason: str) -> None:
        """The site takes nothing from this host: stop, since each job that it takes would be run in vain."""
        if not self.refusal:
            log.error("The site refuses this host: %s", reason)
            self.refusal = reason
            os.kill(os.getpid(), signal.SIGTERM)

    def prove(self) -> None:
        """Return when the self-test has passed; until then nothing is taken from any queue."""
        log.info("%s runs its self-test for: %s", self.name, ", ".join(self.bench.kinds))
        while True:
            passed, detail = self.bench.prove()
            if passed:
                break
            self.health.become("unhealthy", detail)
            log.error(
                "The self-test failed, so no job is taken; again in %.0f s. %s", PROVE_AGAIN_SECONDS, detail
            )
            self.pulse.quietly(self.pulse.announce)
            time.sleep(PROVE_AGAIN_SECONDS)
        self.health.become("ready", detail)
        self.pulse.quietly(self.pulse.announce)
        log.info("The self-test passed: %s", detail)

    def consume(self) -> None:
        """Celery's own worker, until SIGTERM or SIGINT."""
        self.app.task(name=VERIFY_TASK)(self.verify)
        signals.setup_logging.connect(keep_logging, weak=False)
        signals.worker_shutting_down.connect(self.stop, weak=False)
        queues = [verify_queue(kind) for kind in self.bench.kinds]
        accept_signed_only(self.app, lambda: self.key.site_public, queues.__contains__)
        self.app.conf.task_queues = [Queue(name, Exchange(""), name, no_declare=True) for name in queues]
        log.info("Taking work from %s, %d at once", ", ".join(queues), self.bench.lanes)
        run_worker(self.app, f"verify@{self.name}", queues, self.bench.lanes)

    def verify(self, message: Any) -> None:
        """The task: threads only orchestrate; the engine's processes do the work."""
        self.host.work(message)

    def stop(self, **_: Any) -> None:
        """Hand back what runs. Comes from Celery's signal handler, so it only sets flags."""
        self.stopping.set()
        threading.Thread(target=self.see_it_through, name="stopper", daemon=True).start()

    def see_it_through(self) -> None:
        """End at any rate: a job that does not let go is redone by whoever gets it next."""
        self.desk.close()
        time.sleep(STOP_WITHIN_SECONDS)
        log.warning("Not everything stopped within %.0f s; leaving it to its lease", STOP_WITHIN_SECONDS)
        self.bench.close()
        os._exit(REFUSED if self.refusal else 0)


def keep_logging(**_: Any) -> None:
    """Being connected is enough: Celery leaves the logging alone."""


def leave(signum: int, frame: FrameType | None) -> None:
    """SIGTERM before Celery has its own handler."""
    raise KeyboardInterrupt
