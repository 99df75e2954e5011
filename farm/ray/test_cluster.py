"""Runs a list on a cluster of three nodes that is there for the test alone. One is lost meanwhile."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from ray.cluster_utils import Cluster

sinew, jobs = sys.argv[1:]
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
lost = cluster.add_node(num_cpus=1)
cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
begun = time.monotonic()
script = str(Path(__file__).with_name("sinew_ray.py"))
command = [sys.executable, script, jobs, "--parts", "8", "--address", cluster.address, "--sinew", sinew]
out = Path(jobs).with_name("out")
said = Path(jobs).with_name("said.txt")
running = subprocess.Popen(command, stdout=said.open("w"), stderr=subprocess.STDOUT)
# One is lost in the middle of its work.
while running.poll() is None and not any(out.glob("*.glb")):
    time.sleep(0.1)
cluster.remove_node(lost, allow_graceful=False)
code = running.wait()
# Ray says much about the node that it loses.
lines = said.read_text().splitlines()
print("\n".join(lines if code else lines[-1:]))
print(f"  {time.monotonic() - begun:.1f} s in 8 parts on three nodes, of which one was lost")
cluster.shutdown()
sys.exit(code)
