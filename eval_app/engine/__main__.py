"""`python -m eval_app.engine ...`."""

from eval_app.engine.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
