#!/bin/sh
# Makes src/net/types.ts from the server's types: web/types.sh [CARGO OPTION...]
#
# Needs Cargo, and Node with the page's packages (npm ci). Options say what Cargo builds: --workspace takes what is built
# with everything else, without it the studio is built alone.
set -eu
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- --package sinew-studio
TYPES=$PWD/src/net/types.ts cargo test --quiet "$@" --lib export_types >/dev/null
npx prettier --write --log-level warn src/net/types.ts
