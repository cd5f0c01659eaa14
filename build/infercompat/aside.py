"""Work that another process does meanwhile."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable


def aside(work: Callable[[], str]) -> Callable[[], str]:
    """Begins some work whose outcome is a short text, and gives what waits for it.

    It runs in a copy of this process on another core. Where no copy is to be had, or where it ends without a text, the work is done
    here when it is asked for, and what it raises is raised here.
    """
    if not hasattr(os, "fork") or threading.active_count() > 1:  # a copy of a process with threads may wait for one that it lacks
        return work
    reader, writer = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(reader)
        os.close(writer)
        return work
    if not child:
        try:
            os.write(writer, work().encode())
        finally:
            os._exit(0)
    os.close(writer)

    def outcome() -> str:
        with open(reader, "rb") as pipe:
            text = pipe.read().decode()
        os.waitpid(child, 0)
        return text or work()

    return outcome
