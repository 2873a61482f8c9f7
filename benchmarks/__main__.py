"""Run a benchmark: python -m benchmarks [NAME [ARGUMENT ...]]. Without a name, describe each one."""

import ast
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).parent


def scripts() -> dict[str, Path]:
    return {path.stem: path for path in sorted(HERE.glob("*.py")) if not path.stem.startswith("_")}


def main() -> int:
    paths = scripts()
    if len(sys.argv) < 2:
        for name, path in paths.items():
            print(f"python -m benchmarks {name}\n    {ast.get_docstring(ast.parse(path.read_text()))}\n")
        return 0
    name = sys.argv[1]
    if name not in paths:
        print(f"no benchmark is called {name!r}; there are: {', '.join(paths)}", file=sys.stderr)
        return 2
    sys.argv = [str(paths[name]), *sys.argv[2:]]
    runpy.run_path(str(paths[name]), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main())
