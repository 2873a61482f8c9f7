import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from concur_site import redis_server
from concur_site.health import probe
from concur_site.server.board import new_board
from concur_site.up import checks, listener, prepare, processes
from concur_site.up.logs import Terminal, fresh_log_folder
from concur_site.up.supervise import Supervised

SITE_READY_WITHIN_SECONDS = 60.0


class Command(BaseCommand):
    help = "Start everything on this machine: Redis, the site, a worker, the sweeper. Ctrl-C stops all of it."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--site-only",
            action="store_true",
            help="start the site only; Redis, worker and sweeper run elsewhere",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self.site_only = options["site_only"]
        self.started_at = time.monotonic()
        self.stopping = threading.Event()
        self.terminal = Terminal(sys.stdout.fileno())
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # SIGHUP: the terminal was closed
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
                signal.signal(number, lambda *_: self.stopping.set())
        self.running: list[Supervised] = []
        # A line per job of the demo pack would hide the address.
        logging.getLogger("eval_app.queue.dispatch").setLevel(logging.WARNING)
        try:
            self.refuse_if_impossible()
            logs = fresh_log_folder(settings.DATA_DIR / "logs")
            if not self.site_only:
                self.start_redis(logs)  # before the demo pack, whose verifications are sent to it
            password = prepare.prepare(self.say)
            self.start_all(logs)
            self.announce(password)
            self.watch()
        except redis_server.RedisError as error:
            raise CommandError(str(error)) from error
        finally:
            self.stop_all()
            self.terminal.close()

    def say(self, line: str) -> None:
        self.terminal.say(line)

    def refuse_if_impossible(self) -> None:
        problems = checks.problems()
        for problem in problems:
            if not problem.fatal:
                self.say(f"note: {problem.sentence}")
        fatal = [problem.sentence for problem in problems if problem.fatal]
        if fatal:
            raise CommandError("\n".join(fatal))

    def start_all(self, logs: Path) -> None:
        site = processes.site(self.listen(), new_board())
        others = [] if self.site_only else [processes.worker(), processes.sweeper()]
        for program in (*site, *others):
            self.start(program, logs)
        self.wait_for_site()

    def listen(self) -> int:
        """Return the descriptor of the site's socket, which stays open as long as this process."""
        try:
            self.socket = listener.bind(settings.PORT)
        except OSError:  # taken since the checks
            raise CommandError(checks.port_is_taken()) from None
        return self.socket.fileno()

    def start_redis(self, logs: Path) -> None:
        redis = processes.own_redis()
        if redis:
            process = self.start(redis, logs).process
            assert process is not None  # it was just started
            redis_server.wait_until_ready(process, settings.REDIS_URL)

    def start(self, program: processes.Program, logs: Any) -> Supervised:
        supervised = Supervised(program, logs, self.say)
        self.running.append(supervised)
        supervised.start()
        return supervised

    def wait_for_site(self) -> None:
        deadline = time.monotonic() + SITE_READY_WITHIN_SECONDS
        while not self.stopping.is_set() and probe.ask(settings.PORT) is None:
            if time.monotonic() > deadline:
                raise CommandError(f"The site did not answer. Its logs are in {settings.DATA_DIR / 'logs'}")
            time.sleep(0.1)

    def announce(self, password: str | None) -> None:
        self.say("")
        for supervised in self.running:
            program = supervised.program
            where = program.where or f"log: {supervised.log.path}"
            self.say(f"  {program.name:<8} {program.what:<66} {where}")
        self.say(f"  data     {settings.DATA_DIR}")
        if password:
            self.say(f"\n  Sign in as  {prepare.ADMIN}  with the password  {password}   (shown this once)")
        seconds = time.monotonic() - self.started_at
        self.say(
            f"\n  http://127.0.0.1:{settings.PORT}   ready in {seconds:.1f} s; Ctrl-C stops everything\n"
        )

    def watch(self) -> None:
        while not self.stopping.wait(0.5):
            for supervised in self.running:
                supervised.keep_running()

    def stop_all(self) -> None:
        """Stop the workers first and the broker last, so that the jobs they return are kept."""
        if not self.running:
            return
        self.say(f"\nstopping {os.getpid()}'s {len(self.running)} processes")
        brokers = [supervised for supervised in self.running if supervised.program.name == "redis"]
        others = [supervised for supervised in self.running if supervised not in brokers]
        stops = [threading.Thread(target=supervised.stop) for supervised in others]
        for thread in stops:
            thread.start()
        for thread in stops:
            thread.join()
        for broker in brokers:
            broker.stop()
        self.say("stopped")
