"""Actions of a test on a site that runs in other processes, through the site's own SQLite file.

`python -m tests.verify.site_hand ask KERNEL...` stores one sample per kernel, requests their verification on
the CPU and prints the ids of the rows.
"""

import json
import os
import sys

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "concur_site.settings")

import django

django.setup()


def ask(kernels: list[str]) -> list[str]:
    from datasets_app.accounts.actor import COMMAND
    from eval_app.request.verify import request_verification
    from tests.factories import make_sample

    samples = [make_sample(kernel=kernel) for kernel in kernels]
    return [str(row.pk) for row in request_verification(samples, device="cpu", actor=COMMAND)]


if __name__ == "__main__":
    print(json.dumps({"ask": ask}[sys.argv[1]](sys.argv[2:])))
