# SPDX-License-Identifier: Apache-2.0
"""Writing a file whole or not at all, one writer at a time."""

import contextlib
import os
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: one writer at a time is then the user's care
    fcntl = None


def write_whole(path, content):
    """Replace a file by new content; a kill at any moment leaves the old file or the new one, whole.

    Args: path: of the file, existing or not; content: bytes.
    """
    path = Path(path)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


@contextlib.contextmanager
def writing(root):
    """Hold the register of a root for writing: a second command waits, so that no id is issued twice."""
    handle = os.open(Path(root) / "evidence", os.O_RDONLY) if fcntl else None
    try:
        if handle is not None:
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        if handle is not None:
            os.close(handle)
