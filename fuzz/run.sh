#!/bin/sh
# Fuzzes every reader for SECONDS each (default 60) and stops at the first finding.
#
# Needs cargo-fuzz (cargo install cargo-fuzz). Findings are kept under fuzz/artifacts; what was learnt
# under fuzz/corpus.
set -eu
seconds=${1:-60}
cd "$(dirname "$0")"
# Coverage instrumentation is a compiler option that stable toolchains keep locked.
export RUSTC_BOOTSTRAP=1
for target in $(cargo fuzz list); do
    echo "== $target"
    mkdir -p "corpus/$target"
    words=
    if [ -f "dictionaries/$target.dict" ]; then words="-dict=dictionaries/$target.dict"; fi
    # shellcheck disable=SC2086 # no argument at all where there is no dictionary
    cargo fuzz run "$target" "corpus/$target" "seeds/$target" -- $words \
        -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=5 -max_len=65536 -print_final_stats=1
done
