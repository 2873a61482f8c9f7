"""`manage.py host`: add, list, rotate, pause, drain, resume and revoke the hosts that verify, and print a host's Redis
account."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from datasets_app.accounts.actor import COMMAND
from datasets_app.management.site_command import SiteCommand
from datasets_app.models import WantedDevice
from eval_app.broker.messages import acl
from eval_app.models import Host
from eval_app.pages.hosts import state_of
from eval_app.workers import broker_accounts, registry


class Command(SiteCommand):
    help = "Hosts that may verify. `add` and `rotate` print the key as the last line of stdout, this once."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True, parser_class=type(parser))
        add = verbs.add_parser("add", help="let a host verify; prints its key")
        add.add_argument("name", metavar="NAME")
        kinds = ",".join(WantedDevice.values)
        add.add_argument(
            "--kinds", default="", help=f"kinds of device that it may report on, of {kinds}; default: all"
        )
        verbs.add_parser("list", help="hosts with their state, never their keys")
        for verb, what in [
            ("rotate", "give a host a new key; the old one becomes invalid"),
            ("pause", "have a host take nothing new and give back what it runs"),
            ("drain", "have a host take nothing new and finish what it runs"),
            ("resume", "have a paused or drained host take verifications again"),
            ("revoke", "reject everything that a host sends from now on"),
            ("acl", "print the commands that create the host's Redis account"),
        ]:
            verbs.add_parser(verb, help=what).add_argument("name", metavar="NAME")

    def handle(self, *, verb: str, **options: Any) -> None:
        try:
            getattr(self, verb)(**options)
        except (registry.HostError, broker_accounts.AccountError) as error:
            raise CommandError(str(error)) from error

    def add(self, name: str, kinds: str, **_: Any) -> None:
        host, key = registry.add_host(name, kinds.split(","), actor=COMMAND)
        self.show_key(f"Host {host.name} may report on {', '.join(host.kinds)}.", host, key)

    def rotate(self, name: str, **_: Any) -> None:
        host, key = registry.rotate_key(name, actor=COMMAND)
        self.show_key(f"The former key of {name} is invalid now.", host, key)

    def show_key(self, what: str, host: Host, key: str) -> None:
        if broker_accounts.are_ours():
            url = broker_accounts.make_account(host)
            self.stderr.write(
                f"{what} On the other machine, in a checkout of this version (it is shown this once):\n"
                f"CONCUR_HOST_KEY={key} REDIS_URL={url} make worker"
            )
        else:
            self.stderr.write(
                f"{what} Start its worker with CONCUR_HOST_KEY set to this key, which is shown this once:"
            )
            if settings.HAS_OWN_REDIS:
                self.stderr.write(
                    "Other machines cannot reach this site's broker, a Unix socket: start the site with "
                    f"CONCUR_BROKER_LISTEN=ADDRESS:6379, then: manage.py host rotate {host.name}"
                )
        self.stdout.write(key)

    def list(self, **_: Any) -> None:
        for host in registry.hosts(actor=COMMAND):
            self.stdout.write(line(host))

    def revoke(self, name: str, **_: Any) -> None:
        host = registry.revoke_host(name, actor=COMMAND)
        self.stdout.write(
            f"Host {host.name} is revoked. Its verifications are requeued when their leases expire."
        )
        if broker_accounts.are_ours():
            broker_accounts.remove_account(name)
            self.stderr.write("Its account in the broker is removed, and its connections are closed.")
        else:
            self.stderr.write(f"If it has an account in Redis, remove that too: {acl.removal_line(name)}")

    def pause(self, name: str, **_: Any) -> None:
        self.say_state(registry.pause_host(name, actor=COMMAND))

    def drain(self, name: str, **_: Any) -> None:
        self.say_state(registry.drain_host(name, actor=COMMAND))

    def resume(self, name: str, **_: Any) -> None:
        self.say_state(registry.resume_host(name, actor=COMMAND))

    def say_state(self, host: Host) -> None:
        self.stdout.write(f"Host {host.name}: {state_of(host).words}. Its workers follow within seconds.")

    def acl(self, name: str, **_: Any) -> None:
        host = registry.find_host(name)
        self.stderr.write(
            "For Redis 7 or Valkey. Insert a password of your own; the host's address is then "
            f"redis://{acl.account(name)}:PASSWORD@ADDRESS:6379/0. It has only the rights that a worker needs:"
        )
        for command in acl.acl_lines(host.name, host.kinds):
            self.stdout.write(command)


def line(host: Host) -> str:
    seen = f"seen {host.seen_at:%Y-%m-%d %H:%M}" if host.seen_at else "never seen"
    state = state_of(host)
    words = "" if state.kind in ("accepted", "unseen") else state.words
    count = len(host.workers.all())
    workers = f"{count} worker{'' if count == 1 else 's'}"
    return "\t".join([host.name, ",".join(host.kinds), words or seen, workers])
