#!/usr/bin/env bash
# Proves that check_descriptor_names.sh finds each kind of line it is for. Usage: check_the_descriptor_check.sh CHECK
set -u
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/engine/{ir/text,passes,torch/trace} "$tree"/{views,app}
echo 'constexpr auto name = "PlainAOTInput";' >"$tree/engine/ir/text/descriptor_text.cpp"

# Code, comments and texts that are none of its business.
cat >"$tree/engine/torch/trace/capture.cpp" <<'GOOD'
/// "TangentAOTInput(output=PlainAOTOutput(idx=0))", as "tangents_1" is described.
recorder.placeholder("tangents_" + std::to_string(i), ir::AOTInput(input), "/" + path); // not "primals_1"
field("traced_tangents_descs", joined(descriptors, [](const ir::AOTInput& input) { return "a"; }));
field("tangents", wrapper.tangents);
GOOD
"$check" "$tree" >/dev/null || { echo "a good tree fails the check:"; "$check" "$tree"; exit 1; }

wrong() {
    echo "$2" >"$tree/$1"
    if "$check" "$tree" >/dev/null; then
        echo "not found in $1: $2"
        exit 1
    fi
    rm "$tree/$1"
}
wrong engine/passes/a.cpp 'return base::contains(node.target, "tangents");'
wrong engine/passes/a.h 'const bool primal = name.starts_with("primals_");'
wrong engine/passes/a.cpp 'text = "GradAOTOutput(grad_of=" + input + ")";'
wrong views/a.cpp 'if (contains(descriptor, "ParamAOTInput")) {'
wrong views/a.cpp 'call("a // b", "TangentAOTInput(");'
wrong app/a.cpp 'const auto at = text.find("SavedForBackwardsAOTOutput");'
wrong engine/torch/trace/graph_capture.cpp 'const bool tangent = node.name.starts_with("tangents_");'
rm "$tree/engine/ir/text/descriptor_text.cpp"
if "$check" "$tree" >/dev/null; then
    echo "a tree where nobody prints descriptors passes"
    exit 1
fi
echo "each kind of line is found"
