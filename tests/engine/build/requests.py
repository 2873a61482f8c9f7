"""Requests for builds: a small one with torch's headers, and some without, which compile at once, or for very long."""

from eval_app.engine.build.request import BuildRequest

TREE = """
template <int D, unsigned long long P> struct Tree {
  static const unsigned long long value = Tree<D - 1, 2 * P>::value + Tree<D - 1, 2 * P + 1>::value;
};
template <unsigned long long P> struct Tree<0, P> { static const unsigned long long value = P; };
"""
BOMB = f"{TREE}static unsigned long long bomb = Tree<30, 1>::value;\n"


def doubling(**options):
    """Return a small request that takes torch's headers."""
    source = "torch::Tensor twice(torch::Tensor x) { return x + x; }"
    return BuildRequest(name="twice", cpp_sources=(source,), functions=(("twice", "twice"),), **options)


def without_torch(source, **options):
    """Return a request that compiles almost instantly."""
    return BuildRequest(name="ext", cpp_sources=(source,), no_implicit_headers=True, **options)


def quick(tag=""):
    """Return a request that compiles almost instantly; each `tag` gives a different one."""
    return without_torch(f"int twice(int x) {{ return x + x; }} // {tag}")


def unhurried(tag=""):
    """Return a request that keeps the compiler busy for a second or more."""
    return without_torch(f"{TREE}static unsigned long long sum = Tree<14, 1>::value; // {tag}")
