#!/bin/sh
# Makes the pages' pictures of the studio anew: web/pictures.sh [SINEW]
#
# They are screenshots of tests/pictures.spec.ts, at 1280 by 720. Look at each before it is committed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
SHOTS=$here/../docs "$here/test.sh" "${1:-${CARGO_TARGET_DIR:-$here/../target}/release/sinew}" pictures
