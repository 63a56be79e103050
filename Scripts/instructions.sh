#!/usr/bin/env bash
# Holds the instructions of the main jobs, which do not depend on the machine's load, against the
# limits in Benchmarks/instructions.txt; more than 5 % over one fails. Needs valgrind and python3.
# Usage: Scripts/instructions.sh [--short] [--update] [RTOOL]
#   --short   the first jobs only      --update   write what was measured as the new limits
set -euo pipefail
cd "$(dirname "$0")/.."
short='' update='' rtool=.build/release/rtool
for word in "$@"; do
    case $word in
        --short) short=1 ;;
        --update) update=1 ;;
        *) rtool=$word ;;
    esac
done
limits=Benchmarks/instructions.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 Benchmarks/generate.py mycontacts 20000 > "$work/mycontacts.csv"
python3 Benchmarks/generate.py people 2000 > "$work/people.vcf"
python3 Benchmarks/generate.py tasks 2000 > "$work/tasks.ics"
"$rtool" convert "$work/mycontacts.csv" "$work/store.realm" --map mycontacts --quiet
"$rtool" convert "$work/people.vcf" "$work/people.json" --quiet

# name, input, the words of the command
jobs=(
    "start||--version"
    "csv-to-realm|mycontacts.csv|convert $work/mycontacts.csv $work/o.realm --map mycontacts"
    "vcard-to-json|people.vcf|convert $work/people.vcf $work/o.json"
    "realm-to-csv|store.realm|convert $work/store.realm $work/o.csv"
    "realm-to-json|store.realm|convert $work/store.realm $work/o.json"
    "realm-to-realm|store.realm|convert $work/store.realm $work/o.realm"
    "csv-to-csv|mycontacts.csv|convert $work/mycontacts.csv $work/o.csv"
    "csv-to-ndjson|mycontacts.csv|convert $work/mycontacts.csv $work/o.ndjson"
    "vcard-to-csv|people.vcf|convert $work/people.vcf $work/o.csv"
    "vcard-to-vcard|people.vcf|convert $work/people.vcf $work/o.vcf"
    "vcard-to-realm|people.vcf|convert $work/people.vcf $work/o.realm"
    "json-to-csv|people.json|convert $work/people.json $work/o.csv"
    "ical-to-ical|tasks.ics|convert $work/tasks.ics $work/o.ics"
    "ical-to-json|tasks.ics|convert $work/tasks.ics $work/o.json"
)
[ -n "$short" ] && jobs=("${jobs[@]:0:4}")

failed=0
: > "$work/measured"
for job in "${jobs[@]}"; do
    IFS='|' read -r name input words <<< "$job"
    extra=''
    [ -n "$input" ] && extra='--force --quiet'
    # shellcheck disable=SC2086
    count=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$rtool" $words $extra 2>&1 \
        > /dev/null | awk '/Collected/ { print $4 }')
    if [ -z "$count" ]; then
        echo "$name: not measured" >&2
        exit 1
    fi
    bytes=0
    [ -n "$input" ] && bytes=$(wc -c < "$work/$input")
    limit=$(awk -v name="$name" '$1 == name { print $2 }' "$limits" 2> /dev/null || true)
    echo "$name $count" >> "$work/measured"
    awk -v n="$name" -v c="$count" -v b="$bytes" -v l="${limit:-0}" 'BEGIN {
        printf "%-16s %10.1f M", n, c / 1e6
        if (b > 0) printf "  %7.1f a byte", c / b
        if (l > 0) printf "  limit %.1f M (%+.1f %%)", l / 1e6, (c - l) * 100 / l
        printf "\n"
    }'
    if [ -n "$limit" ] && [ "$count" -gt $((limit + limit / 20)) ]; then
        echo "$name takes more than 5 % over its limit" >&2
        failed=1
    fi
done
if [ -n "$update" ]; then
    {
        echo "# Instructions of Scripts/instructions.sh, whole processes: job, limit."
        cat "$work/measured"
    } > "$limits"
    exit 0
fi
exit $failed
