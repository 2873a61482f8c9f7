"""The queues that a worker takes jobs from. The site names them in each answer; Celery's consumer adds and cancels them
while it runs."""

import logging
import threading
from collections.abc import Sequence

from celery import Celery
from celery.worker.consumer import Consumer

from eval_app.broker.celery_app import host_queue, is_for

log = logging.getLogger(__name__)


class ServedQueues:
    """The queues of this worker's devices that the site named last. Thread-safe."""

    def __init__(self, app: Celery, kinds: Sequence[str]) -> None:
        self.app, self.kinds = app, kinds
        self.named = threading.Event()  # while there is a queue to serve
        self._wanted: tuple[str, ...] = ()
        self._consumer: Consumer | None = None

    @property
    def wanted(self) -> tuple[str, ...]:
        """Return the names of the queues to serve."""
        return self._wanted

    def set(self, names: Sequence[str]) -> None:
        """Serve these queues and no others, as far as they are of this worker's kinds of device."""
        self._wanted = tuple(name for name in names if is_for(name, self.kinds))
        (self.named.set if self._wanted else self.named.clear)()
        if self._consumer is not None:
            self._consumer.call_soon(self.apply, self._consumer)

    def begin(self, consumer: Consumer) -> None:
        """Remember Celery's consumer, once it is ready."""
        self._consumer = consumer
        self.set(self._wanted)

    def apply(self, consumer: Consumer) -> None:
        """Have the consumer serve what is wanted. Runs in Celery's own thread."""
        if consumer.task_consumer is None:
            return  # it reconnects; the next answer comes within seconds
        queues = self.app.amqp.queues
        served = set(queues.consume_from)
        for name in sorted(served - set(self._wanted)):
            consumer.cancel_task_queue(name)
        for name in self._wanted:
            if name not in served:
                queues.setdefault(name, host_queue(name))
                consumer.add_task_queue(name)
        if served != set(self._wanted):
            log.info("Taking work from %s", ", ".join(self._wanted) or "no queue")
