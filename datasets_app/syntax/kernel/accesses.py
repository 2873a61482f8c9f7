"""Finds which elements of global and shared memory the threads of a warp access, as far as the indices show."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from datasets_app.syntax.kernel.affine import WARP, Affine, Reader, UnclearError
from datasets_app.syntax.kernel.facts import Access, Launch, Shared
from datasets_app.syntax.kernel.scope import Scope
from datasets_app.syntax.kernel.unit import Unit, declarator_of, field, marks_of, name_of, node_text

BANKS = 32
VECTOR_CAST = re.compile(r"\b(?:float|int|uint|double|half)([248])\s*(?:const\s*)?\*")
MOST_ACCESSES = 400  # per kernel: one with ten thousand lines repeats itself
MOST_IN_ALL = 4_000  # per text
MOST_DIMENSIONS = 16


def accesses(unit: Unit, scope: Scope, arrays: list[Shared], launches: list[Launch]) -> Iterator[Access]:
    """Return reads and writes of each kernel's pointer parameters and shared arrays."""
    tiles = {(array.function, array.name): array for array in arrays}
    shapes: dict[str, set[int | tuple[int, ...] | None]] = defaultdict(set)
    for launch in launches:
        shapes[launch.kernel].add(launch.block.number if launch.block else None)
    kernels = (function for function in unit.functions if "__global__" in marks_of(function))
    all_accesses = (
        access
        for function in kernels
        for access in of_kernel(unit, scope, function, tiles, block_of(shapes.get(name_of(function), set())))
    )
    return islice(all_accesses, MOST_IN_ALL)


def block_of(shapes: set[int | tuple[int, ...] | None]) -> tuple[int, int, int] | None:
    """Return the block that every launch of a kernel has; None if it is not static or differs."""
    if len(shapes) != 1:
        return None
    shape = next(iter(shapes))
    if shape is None:
        return None
    padded = (*((shape,) if isinstance(shape, int) else shape), 1, 1)[:3]
    return padded[0], padded[1], padded[2]


def of_kernel(
    unit: Unit,
    scope: Scope,
    function: Node,
    tiles: dict[tuple[str, str], Shared],
    block: tuple[int, int, int] | None,
) -> Iterator[Access]:
    name, place = name_of(function), function.start_byte
    pointers = pointer_parameters(unit, function)
    reader = Reader(scope, place, loops_of(unit, function))
    seen = 0
    for node in unit.between("subscript", function.start_byte, function.end_byte):
        if seen >= MOST_ACCESSES:
            return
        if is_row(unit, node):
            continue  # the row of a two-dimensional access, not an access of its own
        array, indices = unfolded(node)
        tile = tiles.get((name, array))
        if tile is not None:
            seen += 1
            yield shared_access(unit, reader, node, tile, indices, block)
        elif array in pointers or array in scope.pointers.get(place, {}):
            seen += 1
            yield global_access(unit, reader, node, array, pointers, block)


def is_row(unit: Unit, node: Node) -> bool:
    parent = unit.parent(node)
    return parent is not None and parent.type == "subscript_expression" and field(parent, "argument") == node


def pointer_parameters(unit: Unit, function: Node) -> set[str]:
    """Return the parameters that point to memory."""
    body = field(function, "body")
    head_end = body.start_byte if body is not None else function.end_byte
    names = set()
    for node in unit.between("parameter", function.start_byte, head_end):
        if "pointer_declarator" in {child.type for child in node.children}:
            named = declarator_of(node)
            names.add(node_text(named))
    return names


def loops_of(unit: Unit, function: Node) -> dict[str, list[Node]]:
    """Return loops by the variable that they step."""
    loops: dict[str, list[Node]] = defaultdict(list)
    for node in unit.between("for", function.start_byte, function.end_byte):
        update = field(node, "update")
        target = field(update, "left") or field(update, "argument") if update is not None else None
        if target is not None and target.type == "identifier":
            loops[node_text(target)].append(node)
    return loops


def unfolded(node: Node) -> tuple[str, list[Node]]:
    """Return `tile[a][b]` as tile and [a, b]; the name is empty if the base is not a plain name."""
    indices: list[Node] = []
    inner: Node | None = node
    while inner is not None and inner.type == "subscript_expression" and len(indices) <= MOST_DIMENSIONS:
        arguments = field(inner, "indices")
        if arguments is not None and arguments.named_child_count:
            indices.append(arguments.named_children[0])
        inner = field(inner, "argument")
    return (node_text(inner) if inner is not None and inner.type == "identifier" else ""), indices[::-1]


def global_access(
    unit: Unit, reader: Reader, node: Node, array: str, pointers: set[str], block: tuple[int, int, int] | None
) -> Access:
    line = unit.line(node)
    arguments = field(node, "indices")
    try:
        index = arguments.named_child(0) if arguments is not None and arguments.named_child_count else None
        address = base_of(reader, array, pointers).plus(
            reader.read_at(index) if index is not None else Affine()
        )
    except UnclearError as error:
        return Access(array, line, "global", None, str(error))
    if isinstance(address.x, str):
        return Access(array, line, "global", None, f"neighbouring threads access elements {address.x} apart")
    if block is not None and block[0] % WARP and (address.y or address.z):
        return partly(array, line, address, block)
    if block is None and (address.y or address.z):
        return Access(array, line, "global", None, "the block's shape is not static")
    width = vector_width(unit, node)
    stride = address.x // width if address.x % width == 0 else address.x
    return Access(array, line, "global", stride)


def base_of(reader: Reader, array: str, pointers: set[str], depth: int = 0) -> Affine:
    """Return where a pointer begins: a parameter, `parameter + offset`, `&parameter[offset]`, or a cast of these."""
    if array in pointers:
        return Affine()
    nodes = reader.scope.pointers.get(reader.place, {}).get(array, [])
    changes = reader.scope.changed.get(reader.place, {})
    if len(nodes) != 1 or array in changes or depth > 8:
        raise UnclearError(f"where {array} points to changes before the access")
    return pointed(reader, field(nodes[0], "value"), pointers, depth)


def pointed(reader: Reader, node: Node | None, pointers: set[str], depth: int) -> Affine:
    while node is not None and node.type in (
        "parenthesized_expression",
        "cast_expression",
        "call_expression",
    ):
        arguments = field(node, "arguments")
        if node.type == "call_expression" and "_cast" not in node_text(field(node, "function")):
            break
        node = field(node, "value") or (arguments.named_child(0) if arguments else node.named_child(0))
    if node is not None and node.type == "identifier":
        return base_of(reader, node_text(node), pointers, depth + 1)
    if node is not None and node.type == "binary_expression" and node_text(field(node, "operator")) == "+":
        return pointed(reader, field(node, "left"), pointers, depth).plus(reader.read(field(node, "right")))
    inner = field(node, "argument") if node is not None and node.type == "pointer_expression" else None
    if inner is not None and inner.type == "subscript_expression":
        array, indices = unfolded(inner)
        return base_of(reader, array, pointers, depth + 1).plus(reader.read(indices[0] if indices else None))
    raise UnclearError(f"{node_text(node)[:40]} is not followed to an argument")


def vector_width(unit: Unit, node: Node) -> int:
    """Return 4 for an element whose address is cast to float4*."""
    for around in unit.around[node.id].ancestors[:4]:
        if around.type.endswith(("statement", "declaration", "declarator")):
            return 1
        cast = around.type == "cast_expression"
        if cast or (around.type == "call_expression" and "_cast" in node_text(field(around, "function"))):
            match = VECTOR_CAST.search(node_text(around)[:80])
            return int(match[1]) if match else 1
    return 1


def partly(array: str, line: int, address: Affine, block: tuple[int, int, int]) -> Access:
    """Return an access whose warp spans several rows of the block, each a run of `block[0]` neighbours."""
    if address.x == 1 and address.y == block[0]:
        return Access(array, line, "global", 1)
    return Access(array, line, "global", None, f"a warp spans {WARP // max(1, block[0])} rows of the block")


def shared_access(
    unit: Unit,
    reader: Reader,
    node: Node,
    tile: Shared,
    indices: list[Node],
    block: tuple[int, int, int] | None,
) -> Access:
    line = unit.line(node)
    try:
        if len(indices) != max(1, len(tile.extents)):
            raise UnclearError("not every dimension is indexed")
        flat = flattened(reader, tile, indices)
        ways = conflict_ways(flat, tile.element_bytes, block)
    except UnclearError as error:
        return Access(tile.name, line, "shared", None, str(error))
    return Access(tile.name, line, "shared", flat.x if isinstance(flat.x, int) else None, conflict_ways=ways)


def flattened(reader: Reader, tile: Shared, indices: list[Node]) -> Affine:
    total = Affine()
    for at, index in enumerate(indices):
        width: int | str = 1
        for extent in tile.extents[at + 1 :]:
            if extent is None:
                raise UnclearError(f"the extents of {tile.name} are not static")
            width = multiplied_by(width, extent)
        total = total.plus(reader.read_at(index).times(width))
    return total


def multiplied_by(width: int | str, extent: int) -> int | str:
    return width * extent if isinstance(width, int) else width


def conflict_ways(flat: Affine, element_bytes: int | None, block: tuple[int, int, int] | None) -> int:
    """Return how many different words of one bank the first warp requests at once. Raises UnclearError if unknown."""
    if element_bytes != 4:
        raise UnclearError("bank conflicts are computed for elements of 4 bytes only")
    if not all(isinstance(part, int) for part in flat.parts):
        raise UnclearError("the distance between threads is known at run time only")
    if block is None and (flat.y or flat.z):
        raise UnclearError("the block's shape is not static")
    width, height, _ = block or (WARP, 1, 1)
    words: dict[int, set[int]] = defaultdict(set)
    for lane in range(WARP):
        x, y, z = lane % width, lane // width % height, lane // (width * height)
        word = int(flat.x) * x + int(flat.y) * y + int(flat.z) * z
        words[word % BANKS].add(word)
    return max(len(different) for different in words.values())
