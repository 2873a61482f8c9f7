"""Actions of a test on a site that runs in other processes, through the site's own SQLite file.

`python -m tests.verify.site_hand ask KERNEL...` stores one sample per kernel, requests their verification on
the CPU and prints the ids of the rows. A kernel may begin with what it requires of a host: `memory:32|sleep 1`.
"""

import json
import os
import sys
import uuid

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")

import django

django.setup()


def ask(kernels: list[str]) -> list[str]:
    from datasets_app.accounts.actor import COMMAND
    from eval_app.request.verify import request_verification
    from tests.factories import PROGRAM, make_sample, make_task

    requires = kernels[0].rpartition("|")[0]
    # Each call is a process of its own, whose counter begins again. The programs add 2, then 4.
    programs = [
        f"# {uuid.uuid4()}\n{PROGRAM.format(number=2 * place)}" for place in range(1, len(kernels) + 1)
    ]
    tasks = [make_task(program) for program in programs]
    texts = [kernel.rpartition("|")[2] for kernel in kernels]
    samples = [make_sample(task, kernel=text) for task, text in zip(tasks, texts, strict=True)]
    rows = request_verification(samples, device="cpu", requires=requires, actor=COMMAND)
    return [str(row.pk) for row in rows]


if __name__ == "__main__":
    print(json.dumps({"ask": ask}[sys.argv[1]](sys.argv[2:])))
