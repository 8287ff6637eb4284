"""Progress of downloads on standard error."""

from __future__ import annotations

import sys
import time

from tsgkit.cli.terminal import inert

MEGABYTE = 1_000_000


class DownloadProgress:
    """Progress on standard error: one changing line on a terminal, else a line at every tenth."""

    def __init__(self) -> None:
        self.is_terminal = sys.stderr.isatty()
        self.file = ""
        self.step = -1
        self.shown = 0.0
        self.is_open = False

    def __call__(self, file: str, so_far: int, total: int | None) -> None:
        """Show how much of a file has come."""
        is_last = so_far == total
        if self.is_terminal:
            if is_last or file != self.file or time.monotonic() - self.shown > 0.1:
                print(f"\r\x1b[K{inert(_amount(file, so_far, total))}", end="", file=sys.stderr, flush=True)
                self.shown, self.is_open = time.monotonic(), True
        else:
            step = 10 * so_far // total if total else so_far // (10 * MEGABYTE)
            if file != self.file or step != self.step:
                print(inert(_amount(file, so_far, total)), file=sys.stderr, flush=True)
            self.step = step
        self.file = file

    def end(self) -> None:
        """Leave the line that changes."""
        if self.is_open:
            print(file=sys.stderr, flush=True)
        self.is_open = False


def _amount(file: str, so_far: int, total: int | None) -> str:
    if total:
        return f"{file}: {size_of(so_far)} of {size_of(total)} ({100 * so_far // total} %)"
    return f"{file}: {size_of(so_far)}"


def size_of(number: int) -> str:
    """Return a number of bytes in kilobytes or megabytes."""
    return f"{number / MEGABYTE:.1f} MB" if number >= MEGABYTE else f"{number / 1000:.1f} kB"
