"""Converts reference programs to KernelBench's form: get_inputs() and get_init_inputs() without arguments."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from datasets_app.ingest.pybind import function_named, model_class
from datasets_app.syntax.program import parse, rename_class


def positional(function: ast.FunctionDef, given: Mapping[str, str], skip: int) -> list[str] | None:
    """Return the source of the positional arguments: those given, else their defaults, up to the last one given.

    None if a parameter before that has neither.
    """
    parameters = function.args.args[skip:]
    defaults = dict(zip(reversed(parameters), reversed(function.args.defaults), strict=False))
    last = max((i for i, parameter in enumerate(parameters) if parameter.arg in given), default=-1)
    if any(parameter.arg not in given and parameter not in defaults for parameter in parameters):
        return None
    return [
        given[parameter.arg] if parameter.arg in given else source_of(defaults[parameter])
        for parameter in parameters[: last + 1]
    ]


def source_of(node: ast.expr) -> str:
    """Return the source of an expression. Raises SyntaxError for one that Python parses and cannot write."""
    try:
        return ast.unparse(node)
    except (ValueError, RecursionError) as error:
        # A hexadecimal number of thousands of digits; a sum of 500 terms.
        raise SyntaxError("too long or too deeply nested", ("", node.lineno, None, None)) from error


def init_inputs(program: str, given: Mapping[str, str]) -> str | None:
    """Return the source of a get_init_inputs() for the program's Model; None if `given` is not sufficient."""
    model = model_class(program)
    init = function_named(model.body, "__init__") if model else None
    if init is None:
        return "def get_init_inputs():\n    return []\n" if model else None
    values = positional(init, given, skip=1)
    return None if values is None else f"def get_init_inputs():\n    return [{', '.join(values)}]\n"


def inputs(program: str, given: Mapping[str, str]) -> str:
    """Return the source of a get_inputs() that calls the program's own with the arguments it accepts."""
    function = function_named(parse(program).body, "get_inputs")
    taken = {argument.arg for argument in function.args.args} if function else set()
    arguments = ", ".join(f"{name}={value}" for name, value in given.items() if name in taken)
    return (
        f"configured_inputs = get_inputs\n\n\ndef get_inputs():\n    return configured_inputs({arguments})\n"
    )


def from_kernelbook(program: str, entry: str) -> str:
    """Convert KernelBook's form: the entry point becomes Model, and [args, kwargs] become positional arguments.

    What cannot be converted is left as it is, and fails when it is verified.
    """
    named = rename_class(program, entry, "Model") if entry and entry != "Model" else program
    function = function_named(parse(named).body, "get_init_inputs")
    pair = returned_pair(function) if function else None
    if pair is None:
        return named
    written = positional_pair(named, *pair)
    return f"{named.rstrip()}\n\n\n{written}" if written else named


def returned_pair(function: ast.FunctionDef) -> tuple[ast.List, ast.Dict] | None:
    """Return the [args, kwargs] that KernelBook's get_init_inputs returns, if any."""
    value = function.body[-1].value if isinstance(function.body[-1], ast.Return) else None
    if isinstance(value, ast.List) and len(value.elts) == 2:
        args, kwargs = value.elts
        if isinstance(args, ast.List) and isinstance(kwargs, ast.Dict):
            return args, kwargs
    return None


def positional_pair(program: str, args: ast.List, kwargs: ast.Dict) -> str | None:
    names = [key.value if isinstance(key, ast.Constant) else None for key in kwargs.keys]
    if (args.elts and names) or not all(isinstance(name, str) for name in names):
        return None
    if args.elts:
        return f"def get_init_inputs():\n    return {source_of(args)}\n"
    given = {str(name): source_of(value) for name, value in zip(names, kwargs.values, strict=True)}
    return init_inputs(program, given) if set(given) <= positional_names(program) else None


def positional_names(program: str) -> set[str]:
    """Return the parameters of the Model's __init__ that can be passed by position."""
    model = model_class(program)
    init = function_named(model.body, "__init__") if model else None
    return {parameter.arg for parameter in init.args.args[1:]} if init else set()
