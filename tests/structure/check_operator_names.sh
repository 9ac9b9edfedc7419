#!/usr/bin/env bash
# What is known of an operator stands in engine/ir/operators: elsewhere in the rooms without LibTorch no file names one,
# but for those that put calls into graphs. Usage: check_operator_names.sh SOURCE_DIR
set -u
cd "$1" || exit 2
home=engine/ir/operators
may="^engine/(torch/|ir/operators/|passes/(tensorify_floats|unlift_tokens|value_size)\.cpp)"
named() {
    grep -rnE --include='*.h' --include='*.cpp' '^[^/]*"(aten|prims)\.[a-z_0-9]*[a-z0-9](\.[A-Za-z_]*)?\.?"' "$@"
}
# The check itself must be able to fail: it sees the home's names.
if [[ -z $(named "$home" 2>/dev/null) ]]; then
    echo "$home names no operator: the check looks in the wrong place"
    exit 1
fi
folders=()
for folder in engine app views; do
    [[ -d $folder ]] && folders+=("$folder")
done
hits=$(named "${folders[@]}" | grep -vE "$may")
if [[ -n $hits ]]; then
    printf '%s\n' "$hits"
    echo "these lines name an operator: make it a trait or column of the operator's row in $home"
    exit 1
fi
echo "operators are named in $home only"
