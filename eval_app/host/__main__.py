"""`python -m eval_app.host`: a worker that needs only REDIS_URL."""

import sys

from eval_app.host.bench import EngineBench
from eval_app.host.main import main

if __name__ == "__main__":
    sys.exit(main(EngineBench))
