#!/usr/bin/env bash
# Builds the wheel, installs it into an environment of its own, and tries all of it there: test.sh [ARGUMENTS OF MATURIN]
# The wheel is kept in the folder WHEELS where that is set.
# In .ci/run, with what was compiled for the tests of the workspace: test.sh --features as-tests
set -euo pipefail
cd "$(dirname "$0")"

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
python=${PYTHON:-python3}
"$python" -m venv "$room/venv"
bin=$room/venv/bin
"$bin/python" -m pip install --quiet --disable-pip-version-check "maturin>=1.9,<2" "numpy>=1.22" pytest mypy matplotlib tqdm
# Ray has no wheels for the newest Python at first; its notebook is skipped then.
"$bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: ray || echo "without Ray"
# The same binary as `maturin build --release`, in the target folder of the workspace.
"$bin/maturin" build --release --quiet --interpreter "$bin/python" --out "${WHEELS:-$room}" "$@"
"$bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "${WHEELS:-$room}"/sinew_rig-*.whl
# Not from this folder, where the package lies without its extension module.
cp -r tests examples notebooks README.md generate.py "$room"
cd "$room"
"$bin/sinew" --version
"$bin/mypy" --strict examples generate.py
"$bin/mypy" --strict --package sinew_rig
"$bin/stubtest" sinew_rig._sinew
MPLBACKEND=agg "$bin/python" -m pytest -q tests
