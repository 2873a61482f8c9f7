"""A program that calls one candidate a few times, for tools that watch a whole process. It gives no verdict.

`python -m eval_app.engine.inspect.replay SPEC.json` in a sandbox. The spec holds the programs, the
candidate's built modules by key, the device and the number of calls.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import torch

from eval_app.engine.build.hooks import install
from eval_app.engine.build.request import BuildNeeded, BuildRequest
from eval_app.engine.judge.task.reference import Reference
from eval_app.engine.runner import load
from eval_app.engine.shared.calls import use_ieee

_SEED = 0x5EED


def main() -> int:
    """Run the spec; the exit status is 1 if the candidate fails."""
    spec = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    os.dup2(2, 1)  # stdout is the tool's: what a candidate prints is no counter
    use_ieee()
    device = torch.device(spec["device"])
    install(_resolver(spec))
    folder = Path.cwd()
    with torch.no_grad():
        reference = Reference(spec["reference"], folder, device, _SEED)
        module = load.load_module(spec["candidate"], folder)
        arguments: Any = reference.init_arguments
        positional, keywords = ([], arguments) if isinstance(arguments, dict) else (arguments, {})
        model = load.build_model(module, list(positional), keywords, _SEED)
        model = model.to(device) if isinstance(model, torch.nn.Module) else model
        load.load_weights(model, reference.weights())
        for call in range(int(spec["calls"])):
            model(*reference.inputs(_SEED + call))
            if device.type == "cuda":
                torch.cuda.synchronize()
    return 0


def _resolver(spec: dict[str, Any]) -> Any:
    def resolve(request: BuildRequest) -> Path:
        path = spec["modules"].get(request.key(spec["fingerprint"]))
        if path is None:
            raise BuildNeeded(request)
        return Path(path)

    return resolve


if __name__ == "__main__":
    sys.exit(main())
