#!/usr/bin/env bash
# Proves that check_operator_names.sh finds each kind of line it is for. Usage: check_the_operator_check.sh CHECK
set -u
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/engine/{ir/operators,torch/run,kernels,passes} "$tree/views"
if "$check" "$tree" >/dev/null; then
    echo "a tree without rows passes"
    exit 1
fi
echo 'table.add({"aten.add"}, Recomputable);' >"$tree/engine/ir/operators/elements.cpp"
echo 'call("aten.add.Tensor");' >"$tree/engine/torch/run/a.cpp"
printf '/// "aten.add.Tensor"\nbool isAten = target.starts_with("aten.");\n' >"$tree/engine/passes/good.cpp"
"$check" "$tree" >/dev/null || { echo "a good tree fails the check:"; "$check" "$tree"; exit 1; }

wrong() {
    echo "$2" >"$tree/$1"
    if "$check" "$tree" >/dev/null; then
        echo "not found: $2 in $1"
        exit 1
    fi
    rm "$tree/$1"
}
wrong engine/passes/a.cpp 'if (target == "aten.add.Tensor") {'
wrong engine/passes/a.cpp '    {"prims.iota", 1},'
wrong engine/kernels/a.h 'inline bool isAdd(std::string_view t) { return t.starts_with("aten.add."); }'
wrong views/a.cpp 'call(QLatin1String("aten._to_copy"));'
echo "each kind of line is found"
