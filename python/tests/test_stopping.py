"""Work is stopped."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import sinew_rig as sinew
from conftest import waves

LONG = """
import sys
sys.path.insert(0, {tests!r})
import numpy as np
import sinew_rig as sinew
from conftest import waves
positions, quads = waves({frames}, {side})
animation = sinew.Animation(positions, quads)
rig = sinew.Rig.from_arrays(
    positions[0], quads, np.ones((positions.shape[1], 1)), np.tile(np.eye(4), (len(positions), 1, 1, 1))
)
out = np.empty_like(positions)
begun = []
def tell(stage, share):
    if not begun:
        begun.append(print("begun", flush=True))
try:
    while True:
        {call}
except KeyboardInterrupt:
    print("stopped", flush=True)
"""

#: What is done over and over until it is stopped, on how many frames of how fine a sheet.
CALLS = [
    ("sinew.skin(animation, bones=60, progress=tell)", 400, 60),
    ("sinew.skin(animation, goal={'error': 0.5}, progress=tell)", 200, 40),
    ("sinew.skeleton(animation, progress=tell)", 200, 40),
    ("sinew.compare(animation, animation, progress=tell)", 1000, 60),
    ("rig.bake(out, progress=tell)", 1000, 60),
    ("animation.save(sys.argv[1] + '/out.npz', progress=tell)", 1000, 60),
    ("sinew.skin(animation, bones=20, progress=tell).to_bytes()", 100, 60),
]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise")
@pytest.mark.parametrize(("call", "frames", "side"), CALLS, ids=lambda value: str(value).partition("(")[0])
def test_ctrl_c_stops(request: pytest.FixtureRequest, tmp_path: Path, call: str, frames: int, side: int) -> None:
    code = LONG.format(tests=str(request.path.parent), call=call, frames=frames, side=side)
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "begun\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    sent = time.monotonic()
    assert child.stdout.readline() == "stopped\n"
    waited = time.monotonic() - sent
    assert child.wait() == 0
    assert waited < 0.5, f"stopped after {waited:.2f} s"
    # Nothing is half written.
    assert not [path for path in tmp_path.iterdir() if path.name != "out.npz"]


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
