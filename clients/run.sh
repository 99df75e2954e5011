#!/bin/sh
# Checks Sinew's files with the programs that will open them: clients/run.sh [SINEW]
# Only installs those programs: clients/run.sh --install
#
# Makes sample rigs in a temporary folder, then runs the Khronos validator, Blender, three.js and Babylon.js in Chromium
# and OpenUSD over them, and holds reports to what they say of these engines. With SINEW_DATA set the real sequences are
# skinned and checked too; with SINEW_CORPUS set the public files there are read and compared (bench/corpus.py). One line
# per check; fails when one does. Screenshots of Chromium are kept in CLIENT_PICTURES (default: target/clients).
#
# Needs npm, Python 3.11 and the network for what is missing: npm's gltf-validator, gltfpack, three, babylonjs with its
# loaders (the same code as @babylonjs/core, as one file) and playwright-core, PyPI's bpy, numpy, scipy and usd-core go
# to CLIENT_TOOLS (default: a folder in the cache that is kept between runs); as root on Debian, Chromium and the
# libraries that bpy links to are installed as well.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tools=${CLIENT_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/sinew-clients}
pictures=${CLIENT_PICTURES:-${CARGO_TARGET_DIR:-$here/../target}/clients}
validator_version=2.0.0-dev.3.10
three_version=0.170.0
babylon_version=9.28.0
playwright_version=1.65.0
gltfpack_version=1.3.0
bpy_version=4.5.4
# What bpy links to beyond the C and C++ libraries.
libraries="libx11-6 libxext6 libxrender1 libxfixes3 libxi6 libxkbcommon0 libsm6 libice6 libgl1"

# from_npm NAME VERSION: a package, unless it is there.
from_npm() {
    if [ ! -d "$tools/node_modules/$1" ]; then
        npm install --silent --no-fund --no-audit --prefix "$tools" "$1@$2"
    fi
}

# from_debian PACKAGE...
from_debian() {
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}

install_tools() {
    mkdir -p "$tools"
    from_npm gltf-validator "$validator_version"
    from_npm gltfpack "$gltfpack_version"
    from_npm three "$three_version"
    from_npm babylonjs "$babylon_version"
    from_npm babylonjs-loaders "$babylon_version"
    from_npm playwright-core "$playwright_version"
    if [ ! -x "${CHROMIUM:-/usr/bin/chromium}" ] && [ "$(id -u)" = 0 ]; then
        from_debian chromium
    fi
    if [ ! -x "$tools/python/bin/python" ]; then
        "${PYTHON:-python3.11}" -m venv "$tools/python"
    fi
    if ! "$tools/python/bin/python" -m pip show -q bpy numpy scipy usd-core 2>/dev/null; then
        "$tools/python/bin/python" -m pip install -q "bpy==$bpy_version" "numpy<2" scipy usd-core
    fi
    if ! "$tools/python/bin/python" -c "import bpy" 2>/dev/null && [ "$(id -u)" = 0 ]; then
        # shellcheck disable=SC2086 # a list of packages
        from_debian $libraries
    fi
}

# skin NAME OPTION...: a rig of the creature.
skin() {
    name=$1
    shift
    "$sinew" skin "$work/creature/anim.pc2" --rest "$work/creature/rest.obj" -o "$work/$name.glb" --quiet "$@"
}

# in_blender RIG.glb...: compares each with what sinew bakes of it.
in_blender() {
    pairs=
    for rig in "$@"; do
        "$sinew" bake "$rig" -o "${rig%.glb}.pc2" --quiet
        pairs="$pairs $rig ${rig%.glb}.pc2"
    done
    # shellcheck disable=SC2086 # the temporary folder has no spaces
    "$python" "$here/blender.py" $pairs
}

# in_chromium ENGINE RIG.glb RIG.pc2...: compares each with what an engine of the web shows of it.
in_chromium() {
    engine=$1
    shift
    node "$here/browser.mjs" "$engine" "$pictures" "$@"
}

# lit_in_blender RIG.glb: attributes of our own are read in an order that changes from run to run.
lit_in_blender() {
    "$sinew" bake "$1" -o "${1%.glb}.pc2" --quiet
    for seed in 0 1 2 3 4 5; do
        PYTHONHASHSEED=$seed "$python" "$here/blender.py" "$1" "${1%.glb}.pc2" || return 1
    done
}

install_tools
if [ "${1:-}" = --install ]; then exit 0; fi
sinew=${1:-${CARGO_TARGET_DIR:-$here/../target}/release/sinew}
sinew=$(cd "$(dirname "$sinew")" && pwd)/$(basename "$sinew")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$sinew" sample creature -o "$work/creature" --quiet
skin flexible --rank 4
skin rigid --kind rigid
skin compact --compact --rank 4
skin six-influences --influences 6
"$sinew" lod "$work/flexible.glb" --triangles 50%,10% -o "$work/lods.glb" --quiet
# A second clip: the walk as four bones make it.
skin stiff --bones 4
"$sinew" bake "$work/stiff.glb" -o "$work/stiff.pc2" --quiet
skin two-clips "$work/stiff.pc2" --rank 2
"$sinew" skeleton "$work/creature/anim.pc2" --rest "$work/creature/rest.obj" -o "$work/character.glb" \
    --report "$work/character.json" --quiet

failed=0
# part NAME COMMAND...: runs it, and says how long it took.
part() {
    name=$1 begun=$(date +%s)
    shift
    "$@" || failed=1
    echo "-- $name: $(($(date +%s) - begun)) s"
}
python=$tools/python/bin/python
export NODE_PATH="$tools/node_modules" GLTFPACK="$tools/node_modules/gltfpack/cli.js"
part validator node "$here/validate.mjs" "$work"/*.glb
part Blender in_blender "$work"/*.glb
# For the web: Blender does not unpack it.
"$sinew" convert "$work/flexible.glb" "$work/packed.glb" --pack --quiet
"$sinew" bake "$work/packed.glb" -o "$work/packed.pc2" --quiet
part "validator, packed" node "$here/validate.mjs" "$work/packed.glb"
"$sinew" bake "$work/two-clips.glb" --clip stiff -o "$work/second.pc2" --quiet
part "Blender, second clip" "$python" "$here/blender.py" "$work/two-clips.glb" "$work/second.pc2" --clip stiff
part "Blender, skeleton" "$python" "$here/blender.py" "$work/character.glb" --skeleton "$work/character.json"
# three.js reads four influences a vertex, which is what glTF demands of it.
echo "skip three.js six-influences.glb: it reads four influences a vertex"
pairs=
for rig in "$work"/*.glb; do
    if [ "$rig" != "$work/six-influences.glb" ]; then pairs="$pairs $rig ${rig%.glb}.pc2"; fi
done
# shellcheck disable=SC2086 # the temporary folder has no spaces
part three.js in_chromium three $pairs
part "three.js, second clip" in_chromium three "$work/two-clips.glb" "$work/second.pc2" --clip stiff
part "Babylon.js, second clip" in_chromium babylon "$work/two-clips.glb" "$work/second.pc2" --clip stiff
part "making promises" "$python" "$here/promises.py" "$sinew" "$work/promises"
part "promises, three.js" node "$here/browser.mjs" three --promises "$work/promises/promises.json"
part "promises, Babylon.js" node "$here/browser.mjs" babylon --promises "$work/promises/promises.json"
part "promises, Blender" "$python" "$here/blender.py" --promises "$work/promises/promises.json"
mkdir "$work/lit"
"$sinew" light "$work/flexible.glb" --rays 8 -o "$work/lit/lit.glb" --quiet
part "Blender, light" lit_in_blender "$work/lit/lit.glb"
part Alembic "$python" "$here/alembic.py" "$sinew" "$work/alembic"
"$sinew" convert "$work/flexible.glb" "$work/flexible.fbx" --quiet
part FBX "$python" "$here/fbx.py" "$work/flexible.fbx" "$work/flexible.pc2"
part OpenUSD "$python" "$here/usd.py" "$sinew" "$work/flexible.glb" "$work/character.glb"
part units "$python" "$here/units.py" "$sinew"
part cargo "$python" "$here/cargo.py" "$sinew"
part leaving "$python" "$here/leaving.py" "$sinew"
part scenes "$python" "$here/scenes.py" "$sinew"
if [ -n "${SINEW_DATA:-}" ]; then
    part "real data" "$python" "$here/real_data.py" "$sinew" "$work/data"
    part turned "$python" "$here/../bench/turned.py" --cases 2 --sinew "$sinew"
    for bench in transplant deform stampede collide packed flesh; do
        part "$bench" "$python" "$here/../bench/$bench.py" --check --sinew "$sinew"
    done
    part "validator, real data" node "$here/validate.mjs" "$work"/data/*.glb
    part "Blender, real data" in_blender "$work"/data/*-rank10.glb
fi
if [ -n "${SINEW_CORPUS:-}" ]; then
    part "public files" "$python" "$here/../bench/corpus.py" --sinew "$sinew"
fi
exit $failed
