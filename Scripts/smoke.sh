#!/usr/bin/env bash
# The main job, as a person does it: samples into stores and back. Usage: smoke.sh RTOOL FOLDER
set -euo pipefail
rtool=$1
work=$2
samples=$(cd "$(dirname "$0")/../samples" && pwd)

step() {
    echo "-- rtool $*"
    "$rtool" "$@"
}

step import "$samples/people.vcf" --into "$work/people.realm"
step info "$work/people.realm"
step verify "$work/people.realm"
step convert "$work/people.realm" "$work/people.json"
step convert "$work/people.json" "$work/again.realm"
step diff "$work/people.realm" "$work/again.realm"
step convert "$work/people.realm" "$work/back.vcf"
step import "$samples/people.vcf" --into "$work/people.realm"

for map in mycontacts taskmanager; do
    step import "$samples/$map.csv" --into "$work/$map.realm" --map "$map"
    step export "$work/$map.realm" --to csv
done
step import "$samples/realmtodo.json" --into "$work/realmtodo.realm" --map realmtodo
step export "$work/realmtodo.realm" --to csv --sort 'done,-date'
step convert "$samples/dogs.json" "$work/dogs.realm"
step export "$work/dogs.realm" --class Dog --to json --sort name --section-by 'name[0]'

cp "$samples/realmtodo.realm" "$work/old.realm"
plan=$samples/plans/realmtodo-to-taskmanager.plan.json
step migrate "$work/old.realm" --plan "$plan" --check --quiet
step migrate "$work/old.realm" --plan "$plan" --in-place --quiet
step verify "$work/old.realm"
step migrate "$work/old.realm" --undo
cmp "$work/old.realm" "$samples/realmtodo.realm"
echo "smoke: all well"
