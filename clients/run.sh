#!/bin/sh
# Checks Sinew's files with the programs that will open them: clients/run.sh [SINEW]
#
# Makes sample rigs in a temporary folder, then runs the Khronos validator, Blender, three.js in Chromium and OpenUSD
# over them. With SINEW_DATA set the real sequences are skinned and checked too. One line per check; fails when one
# does. Screenshots of Chromium are kept in CLIENT_PICTURES (default: target/clients).
#
# Needs npm, Python 3.11 and the network for what is missing: npm's gltf-validator, gltfpack, three and playwright-core,
# PyPI's bpy, numpy, scipy and usd-core go to CLIENT_TOOLS (default: a folder in the cache that is kept between runs); as
# root on Debian, Chromium and the libraries that bpy links to are installed as well.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sinew=${1:-${CARGO_TARGET_DIR:-$here/../target}/release/sinew}
sinew=$(cd "$(dirname "$sinew")" && pwd)/$(basename "$sinew")
tools=${CLIENT_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/sinew-clients}
pictures=${CLIENT_PICTURES:-${CARGO_TARGET_DIR:-$here/../target}/clients}
validator_version=2.0.0-dev.3.10
three_version=0.170.0
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
    "$tools/python/bin/python" "$here/blender.py" $pairs
}

# in_chromium RIG.glb RIG.pc2...: compares each with what three.js shows of it.
in_chromium() {
    NODE_PATH=$tools/node_modules node "$here/three.mjs" "$pictures" "$@"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
install_tools
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
NODE_PATH=$tools/node_modules node "$here/validate.mjs" "$work"/*.glb || failed=1
in_blender "$work"/*.glb || failed=1
# For the web: Blender does not unpack it.
"$sinew" convert "$work/flexible.glb" "$work/packed.glb" --pack --quiet
"$sinew" bake "$work/packed.glb" -o "$work/packed.pc2" --quiet
NODE_PATH=$tools/node_modules node "$here/validate.mjs" "$work/packed.glb" || failed=1
"$sinew" bake "$work/two-clips.glb" --clip stiff -o "$work/second.pc2" --quiet
"$tools/python/bin/python" "$here/blender.py" "$work/two-clips.glb" "$work/second.pc2" --clip stiff || failed=1
"$tools/python/bin/python" "$here/blender.py" "$work/character.glb" --skeleton "$work/character.json" || failed=1
# three.js reads four influences a vertex, which is what glTF demands of it.
echo "skip three.js six-influences.glb: it reads four influences a vertex"
pairs=
for rig in "$work"/*.glb; do
    if [ "$rig" != "$work/six-influences.glb" ]; then pairs="$pairs $rig ${rig%.glb}.pc2"; fi
done
# shellcheck disable=SC2086 # the temporary folder has no spaces
in_chromium $pairs || failed=1
in_chromium "$work/two-clips.glb" "$work/second.pc2" --clip stiff || failed=1
"$tools/python/bin/python" "$here/alembic.py" "$sinew" "$work/alembic" || failed=1
"$sinew" convert "$work/flexible.glb" "$work/flexible.fbx" --quiet
"$tools/python/bin/python" "$here/fbx.py" "$work/flexible.fbx" "$work/flexible.pc2" || failed=1
"$tools/python/bin/python" "$here/usd.py" "$sinew" "$work/flexible.glb" "$work/character.glb" || failed=1
if [ -n "${SINEW_DATA:-}" ]; then
    "$tools/python/bin/python" "$here/real_data.py" "$sinew" "$work/data" || failed=1
    "$tools/python/bin/python" "$here/../bench/turned.py" --cases 2 --sinew "$sinew" || failed=1
    "$tools/python/bin/python" "$here/../bench/transplant.py" --check --sinew "$sinew" || failed=1
    "$tools/python/bin/python" "$here/../bench/deform.py" --check --sinew "$sinew" || failed=1
    "$tools/python/bin/python" "$here/../bench/stampede.py" --check --sinew "$sinew" || failed=1
    "$tools/python/bin/python" "$here/../bench/collide.py" --check --sinew "$sinew" || failed=1
    GLTFPACK=$tools/node_modules/gltfpack/cli.js \
        "$tools/python/bin/python" "$here/../bench/packed.py" --check --sinew "$sinew" || failed=1
    NODE_PATH=$tools/node_modules node "$here/validate.mjs" "$work"/data/*.glb || failed=1
    in_blender "$work"/data/*-rank10.glb || failed=1
fi
exit $failed
