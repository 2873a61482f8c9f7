"""`python -m eval_app.host`: a worker that needs only REDIS_URL and CONCUR_HOST_KEY."""

import sys

from eval_app.host.bench import EngineBench
from eval_app.host.key import restart_without_key
from eval_app.host.main import main

if __name__ == "__main__":
    restart_without_key(["-m", "eval_app.host", *sys.argv[1:]])
    sys.exit(main(lambda environment: EngineBench(environment.data_folder, environment.build_jobs)))
