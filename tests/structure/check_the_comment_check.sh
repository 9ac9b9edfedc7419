#!/usr/bin/env bash
# Proves that check_comment_words.sh finds each kind of line it is for. Usage: check_the_comment_check.sh CHECK
set -u
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{engine/torch,views}
printf '/// The dtype of the result.\nint made = given("told"); // rounded\n' >"$tree/engine/torch/good.h"
"$check" "$tree" 0 >/dev/null || { echo "a good tree fails the check:"; "$check" "$tree" 0; exit 1; }

wrong() {
    echo "$1" >"$tree/views/a.cpp"
    if "$check" "$tree" 0 >/dev/null; then
        echo "not found: $1"
        exit 1
    fi
    "$check" "$tree" 1 >/dev/null || { echo "the maximum does not hold: $1"; exit 1; }
    rm "$tree/views/a.cpp"
}
wrong '/// Whoever holds the tensor.'
wrong 'int i = 0; // what was asked'
wrong '    // It is Computed Again.'
wrong '/// Of the row.'
if "$check" "$tree" 1 >/dev/null; then
    echo "a maximum that is too high passes"
    exit 1
fi
rm -r "$tree/engine" "$tree/views"
if "$check" "$tree" 0 >/dev/null; then
    echo "a tree without comments passes"
    exit 1
fi
echo "each kind of line is found"
