#!/usr/bin/env bash
# Builds the extension and tries it in several Blenders: test.sh [WHEEL]
#
# Without a wheel, one is built. Blender comes as PyPI's package bpy, half a gigabyte a version, kept in CLIENT_TOOLS (default: a
# folder in the cache); BLENDER_VERSIONS names the versions. Needs Python 3.11.
set -euo pipefail
cd "$(dirname "$0")"

tools=${CLIENT_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/sinew-clients}
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

# blender VERSION: the Python that has it. 4.5.4 is there for other checks as well.
blender() {
    local folder=$tools/bpy-$1
    if [ "$1" = 4.5.4 ] && "$tools/python/bin/python" -c "import bpy" 2>/dev/null; then
        folder=$tools/python
    fi
    if ! "$folder/bin/python" -c "import bpy" 2>/dev/null; then
        "${PYTHON:-python3.11}" -m venv "$folder"
        "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "bpy==$1"
    fi
    printf '%s/bin/python\n' "$folder"
}

wheel=${1:-}
if [ -z "$wheel" ]; then
    "${PYTHON:-python3.11}" -m venv "$room/venv"
    "$room/venv/bin/python" -m pip install --quiet --disable-pip-version-check "maturin>=1.9,<2"
    "$room/venv/bin/maturin" build --release --quiet --manifest-path ../crates/sinew-py/Cargo.toml --out "$room"
    wheel=$(echo "$room"/sinew_rig-*.whl)
fi
for version in ${BLENDER_VERSIONS:-4.2.0 4.5.4 5.0.1}; do
    python=$(blender "$version")
    "$python" build.py --output "$room/$version" "$wheel" >"$room/build.log" || { cat "$room/build.log"; exit 1; }
    "$python" tests/check.py "$room/$version"/sinew-*.zip
done
