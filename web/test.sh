#!/bin/sh
# Drives the studio's page with real Chromium: web/test.sh [SINEW] [PLAYWRIGHT OPTION...]
#
# Builds the page, starts `sinew studio` for every test on sample files, and goes through every flow from opening to the saved
# file. With SINEW_DATA, a folder of real files, the same flows run on those too (tests/real-*). Screenshots go to SHOTS (default:
# web/screenshots). The page that was just built is served, whatever the binary holds.
#
# Needs Node and npm, and Chromium (CHROMIUM, default /usr/bin/chromium), which is installed as root on Debian where it is missing.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sinew=${1:-${CARGO_TARGET_DIR:-$here/../target}/release/sinew}
[ $# -eq 0 ] || shift
SINEW=$(cd "$(dirname "$sinew")" && pwd)/$(basename "$sinew")
CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
export SINEW CHROMIUM

if [ ! -x "$CHROMIUM" ] && [ "$(id -u)" = 0 ]; then
    apt-get update -qq
    apt-get install -qq -y --no-install-recommends chromium fonts-dejavu-core >/dev/null
fi
cd "$here"
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    npm ci --silent --no-fund --no-audit
fi
npm run --silent build
STUDIO_PAGE=$here/dist npx playwright test "$@"
