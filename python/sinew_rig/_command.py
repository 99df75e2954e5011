"""The command ``sinew``."""

from __future__ import annotations

import signal
import sys

from . import _sinew


def main() -> None:
    """Runs the command with the arguments of the process."""
    # The command listens for Ctrl-C itself; Python would wake up only once it is done.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_sinew.main(sys.argv))


if __name__ == "__main__":
    main()
