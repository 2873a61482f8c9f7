"""The syntax of kernel programs: what they define, launch, keep in shared memory and call, line by line.

`read_kernel` returns the facts of one program (see facts). Pure functions of text; never imports a model.
"""

from datasets_app.syntax.kernel.facts import Access, Function, Kernel, Launch, Shared, Use, Value
from datasets_app.syntax.kernel.read import read_kernel

__all__ = ["Access", "Function", "Kernel", "Launch", "Shared", "Use", "Value", "read_kernel"]
