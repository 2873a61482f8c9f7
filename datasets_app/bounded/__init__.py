"""Analysis of submitted text in child processes, with a deadline and a memory limit.

A submitted text may keep a parser or a regular expression busy for minutes, and native code holds the interpreter's
lock meanwhile: neither a thread nor a signal handler interrupts it. So pages and ingests call `analysed(function,
*arguments)`, which runs a pure function of text in a child process, kills the child at the deadline, and raises
AnalysisError with the reason. On a busy machine a call may take longer, as long as its child has not used the time that
it may. Results and failures are cached in the calling process, in bounded memory.

run.py       analysed(), the call that the rest of the site uses; analysed_ahead(), which lets the caller work
             meanwhile; and start(), which warms a process up
pool.py      the child processes of one process: at most two, replaced when one is killed
child.py     what a child runs; it has no settings, no secrets and no database
messages.py  the frames between them; cache.py the results that were computed before

Not for files or rows: `processes.child.call` starts a process for a single call, with the site loaded, because a look
into an upload needs the settings, the readers and a memory limit of its own. Here two children that hold nothing worth
stealing answer thousands of short calls, and a page waits for each.

A function that is analysed lives in a module that needs no Django settings. It must never import a model or a view.
"""

from datasets_app.bounded.errors import AnalysisError
from datasets_app.bounded.run import analysed, analysed_ahead, start

__all__ = ["AnalysisError", "analysed", "analysed_ahead", "start"]
