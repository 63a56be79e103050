#!/usr/bin/env bash
# Fuzzes one target (or all) with libFuzzer and the address sanitizer.
#
#   Scripts/fuzz.sh [TARGET|all] [AMOUNT]     AMOUNT: 60s (seconds) or 1000000 (executions)
#
# Targets: vcard ical (line by line), contacts contact-versions jcard address-books todos (as rows),
# csv json google-tasks ms-todo todoist ticktick todotxt outlook-tasks, detect (any bytes), store
# (bytes of a store), damage (damaged stores held against the truth).
# Inputs begin from Fuzz/Seeds, Fuzz/Regressions, samples/ and, where it is, a larger corpus
# (RTOOL_SHARED, or ../shared beside the checkout). What is found stays in .build/fuzz/found.
# RTOOL_FUZZ_LAWS=0 looks for crashes only; RTOOL_FUZZ_BUILD names another folder to build in.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:-all}
amount=${2:-60s}
build=${RTOOL_FUZZ_BUILD:-.build/fuzz}
shared=${RTOOL_SHARED:-../shared}
mkdir -p "$build"
build=$(cd "$build" && pwd)
program=$build/fuzz

newer() { [ ! -e "$1" ] || [ -n "$(find "$2" -name '*.swift' -newer "$1" -print -quit)" ]; }
common=(-swift-version 6 -O -g -wmo -parse-as-library -package-name rtool -sanitize=fuzzer,address)
if newer "$build/libFormats.a" Sources/Formats; then
    echo "building Formats with the address sanitizer (some minutes)" >&2
    find "$PWD/Sources/Formats" -name '*.swift' | sort > "$build/sources"
    (cd "$build" && swiftc "${common[@]}" -num-threads 2 -enable-testing -module-name Formats \
        -enable-upcoming-feature ExistentialAny -enable-upcoming-feature MemberImportVisibility \
        -enable-upcoming-feature InternalImportsByDefault \
        -emit-module -emit-module-path Formats.swiftmodule -emit-library -static \
        -o libFormats.a "@sources")
fi
if newer "$program" Fuzz || [ "$build/libFormats.a" -nt "$program" ]; then
    # The compiler leaves module files where it runs, so it runs in the build folder.
    here=$PWD
    (cd "$build" && swiftc "${common[@]}" -module-name FuzzTargets -I . -L . -lFormats \
        -lswiftSynchronization "$here"/Fuzz/*.swift -o "$program" 2>&1) |
        grep -v 'Cannot export local symbol' || true
fi

# Small files of a kind, as seeds.
seeds() {
    local to=$1 found file
    shift
    for file in "$@"; do
        [ -f "$file" ] && [ "$(wc -c < "$file")" -le 6000 ] || continue
        found=$(cksum < "$file" | tr ' ' -)
        cp "$file" "$to/$found"
    done
}

fuzz() {
    local name=$1 corpus=$build/corpus/$1 seed=$build/seeds/$1 limit=3000 dict=lines rss=1024
    rm -rf "$seed"
    mkdir -p "$corpus" "$seed" "$build/found"
    [ -d "Fuzz/Seeds/$name" ] && cp Fuzz/Seeds/"$name"/* "$seed"
    local public=$shared/corpus/interchange
    case $name in
    vcard | contacts | contact-versions) seeds "$seed" samples/*.vcf "$public"/vcard/* "$public"/bugs/*.vcf ;;
    ical | todos) seeds "$seed" samples/*.ics "$public"/ical/* "$public"/bugs/*.ics ;;
    csv | address-books)
        dict=delimited
        cp Fuzz/Seeds/csv/* "$seed"
        seeds "$seed" samples/*.csv "$public"/csv/* "$public"/bugs/*.csv
        ;;
    json)
        dict=json
        seeds "$seed" samples/*.json "$public"/json/* "$public"/expected/*.json \
            "$public"/expected/tasks/*.json "$shared"/corpus/realm/*/*.json
        ;;
    jcard)
        dict=json
        seeds "$seed" $(grep -l '"vcard"' "$public"/json/* 2>/dev/null || true)
        ;;
    google-tasks | ms-todo) dict=json ;;
    todoist | ticktick | todotxt | outlook-tasks) dict=delimited ;;
    detect) seeds "$seed" samples/* "$public"/*/* ;;
    store)
        limit=16384 dict='' rss=256
        cp samples/*.realm "$seed"
        seeds "$seed" "$shared"/corpus/realm/*/*.realm "$shared"/corpus/realm-wild/*/*.realm
        ;;
    damage)
        limit=64 dict='' rss=256
        export RTOOL_FUZZ_STORES=$build/stores
        mkdir -p "$RTOOL_FUZZ_STORES"
        cp samples/*.realm "$RTOOL_FUZZ_STORES"
        # Twenty and more small stores, of all file formats.
        local file
        for file in 24-14.14.0/{dogs,extreme,mixed_short_keys,nested_links,churned_torn_a} \
            24-14.14.0/{stream_realmtodo,realmtodo,churned} 22-12.9.0/{taskmanager,realmtodo} \
            11-6.2.4/{dogs,realmtodo} 10-6.0.4/realmtodo 9-5.23.9/{dogs,extreme,churned} \
            9-5.23.9/stream_realmtodo 5-1.0.1/taskmanager 3-0.98.4/dogs 2-0.92.4/realmtodo; do
            file=$shared/corpus/realm/$file.realm
            [ -f "$file" ] && cp "$file" "$RTOOL_FUZZ_STORES/$(basename "$(dirname "$file")")_$(basename "$file")"
        done
        ;;
    esac
    local folders=("$corpus" "$seed")
    [ -d "Fuzz/Regressions/$name" ] && folders+=("Fuzz/Regressions/$name")
    local options=(-timeout=5 -rss_limit_mb=$rss -malloc_limit_mb=256 -max_len=$limit
        -print_final_stats=1 -artifact_prefix="$build/found/$name-" -reload=0)
    [ -n "$dict" ] && options+=(-dict="Fuzz/Dictionaries/$dict.dict")
    case $amount in
    *s) options+=(-max_total_time="${amount%s}") ;;
    *) options+=(-runs="$amount") ;;
    esac
    # Swift's crash handler and the sanitizer must not trip over each other; the sanitizer's
    # quarantine of freed memory would count as memory of ours.
    RTOOL_FUZZ_TARGET=$name SWIFT_BACKTRACE=enable=no \
        ASAN_OPTIONS=${ASAN_OPTIONS:-quarantine_size_mb=8:detect_leaks=0:malloc_context_size=0} \
        nice -n 10 "$program" "${options[@]}" "${folders[@]}"
}

if [ "$target" = all ]; then
    for name in vcard contacts contact-versions jcard csv address-books json ical todos \
        google-tasks ms-todo todoist ticktick todotxt outlook-tasks detect store damage; do
        echo "== $name" >&2
        fuzz "$name"
    done
else
    fuzz "$target"
fi
