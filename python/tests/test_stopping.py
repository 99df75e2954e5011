"""Work is stopped."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import sinew_rig as sinew
from conftest import waves

LONG = """
import sys, time
sys.path.insert(0, {tests!r})
import sinew_rig as sinew
from conftest import waves
animation = sinew.Animation(*waves(400, 60))
begun = []
def tell(stage, share):
    if not begun:
        begun.append(print("begun", flush=True))
try:
    sinew.skin(animation, bones=60, progress=tell)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise")
def test_ctrl_c_stops(request: pytest.FixtureRequest) -> None:
    code = LONG.format(tests=str(request.path.parent))
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "begun\n"
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "stopped\n"
    assert child.wait() == 0


def test_listeners_stop_it() -> None:
    class Enough(Exception):
        pass

    def stop(stage: str, share: float) -> None:
        raise Enough(stage)

    with pytest.raises(Enough):
        sinew.skin(sinew.Animation(*waves(400, 60)), bones=60, progress=stop)


def test_others_work_meanwhile() -> None:
    animation = sinew.Animation(*waves(120, 40))
    done = threading.Event()
    worker = threading.Thread(target=lambda: (sinew.skin(animation, bones=30), done.set()))
    worker.start()
    turns = 0
    while not done.is_set():
        turns += 1
        time.sleep(0.001)
    worker.join()
    assert turns > 10, "the interpreter's lock was held"


def test_same_bits_in_every_thread() -> None:
    animation = sinew.Animation(*waves())
    made = []
    threads = [threading.Thread(target=lambda: made.append(sinew.skin(animation, bones=6).to_bytes())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 3 and len(set(made)) == 1
    assert np.isfinite(animation.positions).all()
