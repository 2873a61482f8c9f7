"""A stand-in for `thrust/complex.h`, which torch's own complex type includes in every CUDA file: an eighth of all text.

It declares what torch's headers name. A source that computes with complex numbers, or uses thrust or cub, gets the real
one; any other that needs more does not compile with this one, and is built with the full headers.
"""

import re

HEADER = "thrust/complex.h"
_NEEDED = re.compile(r"complex|thrust|\bcub\b|cuda::std", re.IGNORECASE)
_FUNCTIONS = (
    "exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "proj", "conj",
)  # fmt: skip
_DECLARED = "\n".join(
    f"template <class T> __host__ __device__ complex<T> {name}(const complex<T>&);" for name in _FUNCTIONS
)
TEXT = f"""#pragma once
namespace thrust {{
template <class T> struct complex {{
  T re, im;
  complex() = default;
  __host__ __device__ complex(T r, T i = T()) : re(r), im(i) {{}}
  template <class U> __host__ __device__ complex(const complex<U>& o) : re(o.re), im(o.im) {{}}
  __host__ __device__ T real() const {{ return re; }}
  __host__ __device__ T imag() const {{ return im; }}
}};
{_DECLARED}
template <class T> __host__ __device__ T abs(const complex<T>&);
template <class T> __host__ __device__ T arg(const complex<T>&);
template <class T> __host__ __device__ complex<T> polar(const T&, const T& = T());
template <class T, class U> __host__ __device__ complex<T> pow(const complex<T>&, const U&);
template <class T> __host__ __device__ complex<T> pow(const T&, const complex<T>&);
}}  // namespace thrust
"""


def is_enough(source: str) -> bool:
    """Return whether a source names nothing for which it needs the real header."""
    return not _NEEDED.search(source)
