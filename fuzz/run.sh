#!/bin/sh
# Fuzzes readers: fuzz/run.sh [SECONDS [TARGET...]], all of them where none is named, 60 seconds each without a number.
# Stops at the first finding. Ends with a table: executions, places of the code reached, and when the last new one was.
#
# Keeps what was learnt small: fuzz/run.sh --minimise [TARGET...] leaves of each corpus what reaches something of its own.
#
# Needs cargo-fuzz (cargo install cargo-fuzz). Findings are kept under fuzz/artifacts, what was learnt under fuzz/corpus,
# what was said under fuzz/logs. With SINEW_CORPUS set, small public files there are tried too. Each target has a custom
# mutator that knows its format, where that pays (fuzz_targets/mutate.rs).
set -eu
cd "$(dirname "$0")"
# Coverage instrumentation is a compiler option that stable toolchains keep locked.
export RUSTC_BOOTSTRAP=1
export ASAN_OPTIONS=detect_odr_violation=0
longest=65536

# seeds_of TARGET ENDING...: public files that are not longer than what is tried.
seeds_of() {
    target=$1
    shift
    [ -n "${SINEW_CORPUS:-}" ] || return 0
    for ending in "$@"; do
        find "$SINEW_CORPUS" -name "*.$ending" -size "-${longest}c" -exec cp -n {} "corpus/$target/" \;
    done
}

# prepare TARGET: its corpus, with public files.
prepare() {
    mkdir -p "corpus/$1" "artifacts/$1" logs
    case $1 in
        glb) seeds_of glb glb gltf ;;
        fbx) seeds_of fbx fbx ;;
        usd) seeds_of usd usd usda usdc usdz ;;
        alembic) seeds_of alembic abc ;;
        obj) seeds_of obj obj ;;
        mtl) seeds_of mtl mtl ;;
    esac
}

minimise=
seconds=60
case ${1:-} in
    --minimise) minimise=yes && shift ;;
    "" | *[!0-9]*) ;;
    *) seconds=$1 && shift ;;
esac
targets=${*:-$(cargo fuzz list)}
cargo fuzz build
built=target/$(rustc -vV | sed -n 's/^host: //p')/release
for target in $targets; do
    prepare "$target"
    if [ -n "$minimise" ]; then
        rm -rf "corpus/$target.all"
        mv "corpus/$target" "corpus/$target.all"
        mkdir "corpus/$target"
        "$built/$target" -merge=1 "corpus/$target" "seeds/$target" "corpus/$target.all" >"logs/$target.log" 2>&1
        rm -rf "corpus/$target.all"
        echo "$target: $(find "corpus/$target" -type f | wc -l) inputs left"
        continue
    fi
    words=
    if [ -f "dictionaries/$target.dict" ]; then words="-dict=dictionaries/$target.dict"; fi
    # shellcheck disable=SC2086 # no argument at all where there is no dictionary
    if ! "$built/$target" "corpus/$target" "seeds/$target" $words "-artifact_prefix=artifacts/$target/" \
        -max_total_time="$seconds" -rss_limit_mb=1024 -timeout=5 -max_len="$longest" -print_final_stats=1 \
        >"logs/$target.log" 2>&1; then
        tail -n 30 "logs/$target.log"
        echo "$target: a finding, under fuzz/artifacts/$target; fuzz/logs/$target.log has all that was said"
        exit 1
    fi
    awk -v name="$target" '
        $2 == "NEW" || $2 == "INITED" { last = $1; split($0, cut, "cov: "); split(cut[2], word, " "); edges = word[1] }
        /number_of_executed_units/ { runs = $2 }
        END { printf "%-12s %10d runs  %6d edges  last new one at run %d\n", name, runs, edges, substr(last, 2) }
    ' "logs/$target.log"
done
