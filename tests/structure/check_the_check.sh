#!/usr/bin/env bash
# Proves that check_includes.sh finds each kind of wrong include. Usage: check_the_check.sh CHECK
set -u
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/engine/{base,ir/text,ir/json,ir/compare,load,layout,passes,kernels,aot,cache,hooks,contract,files,judge,explore,recompile,runs,session} \
    "$tree"/engine/torch/{dispatch,fake,kernels,ops,run/{state,execution,measuring},trace,backend} \
    "$tree"/views/{style,common,graph,partition,panels,kernels,memory,budget,values,window} "$tree"/app/cli
touch "$tree"/engine/kernels/{nvrtc,both}.h "$tree"/engine/torch/kernels/fused_run.h "$tree"/views/kernels/{kernels_panel,both}.h
for i in $(seq 20); do
    echo '#include "base/ids.h"' >"$tree/engine/ir/good$i.h"
done
good() {
    echo "#include $2" >"$tree/$1"
}
good engine/torch/kernels/good.cpp '"torch/kernels/fused_run.h"'
good engine/torch/fake/good.cpp '"kernels/nvrtc.h"'
good engine/torch/kernels/good.h '"run/measuring/statistics.h"'
good engine/torch/run/measuring/good.cpp '"run/state/frame.h"'
good engine/torch/run/state/good.cpp '"dispatch/operators.h"'
good views/kernels/good.cpp '"kernels/nvrtc.h"'
good engine/session/good.cpp '"hooks/inline_plan.h"'
"$check" "$tree" || { echo "a good tree fails the check"; exit 1; }

wrong() {
    echo "#include $2" >"$tree/$1"
    if "$check" "$tree" >/dev/null; then
        echo "not found: $2 in $1"
        exit 1
    fi
    rm "$tree/$1"
}
wrong engine/base/a.cpp '"ir/graph.h"'
wrong engine/ir/a.h '"load/trace_log.h"'
wrong engine/ir/a.cpp '"ir/text/parser.h"'
wrong engine/ir/text/a.cpp '"ir/json/graph_json.h"'
wrong engine/ir/json/a.cpp '"ir/compare/graph_diff.h"'
wrong engine/torch/dispatch/a.cpp '"fake/fake_tensor.h"'
wrong engine/torch/fake/a.h '"ops/interpreter.h"'
wrong engine/torch/ops/a.cpp '"trace/retrace.h"'
wrong engine/torch/run/a.cpp '"trace/retrace.h"'
wrong engine/torch/run/state/a.cpp '"trace/retrace.h"'
wrong engine/torch/run/state/a.cpp '"run/execution/executor.h"'
wrong engine/torch/run/execution/a.h '"run/measuring/statistics.h"'
wrong engine/torch/fake/a.cpp '"run/state/frame.h"'
wrong engine/torch/trace/a.cpp '"backend/make_backend.h"'
wrong engine/torch/run/a.cpp '"torch/kernels/fused_run.h"'
wrong engine/torch/kernels/a.cpp '"kernels/fused_run.h"'
wrong engine/torch/kernels/a.cpp '"fake/fake_tensor.h"'
wrong engine/load/a.cpp '"layout/layout.h"'
wrong engine/base/a.cpp '"hooks/inline_plan.h"'
wrong engine/hooks/a.cpp '"session/session.h"'
wrong engine/hooks/a.cpp '"values/values_panel.h"'
wrong engine/layout/a.cpp '"session/session.h"'
wrong engine/aot/a.h '"session/session.h"'
wrong engine/aot/a.cpp '"cache/function_cache.h"'
wrong engine/cache/a.cpp '"session/session.h"'
wrong engine/passes/a.cpp '"aot/graph_signature.h"'
wrong engine/session/a.cpp '"torch/make_backend.h"'
wrong engine/session/a.h '<QObject>'
wrong engine/contract/a.h '"session/session.h"'
wrong engine/contract/a.cpp '"explore/joint_input.h"'
wrong engine/contract/b.cpp '"judge/answers.h"'
wrong engine/files/a.cpp '"judge/answers.h"'
wrong engine/torch/trace/b.cpp '"judge/answers.h"'
wrong engine/judge/a.cpp '"explore/joint_input.h"'
wrong engine/explore/a.cpp '"recompile/retracer.h"'
wrong engine/recompile/a.cpp '"judge/halves_verdict.h"'
wrong engine/torch/run/a.cpp '"session/session.h"'
wrong engine/load/a.cpp '<ATen/core/Tensor.h>'
wrong views/a.cpp '"torch/make_backend.h"'
wrong views/style/a.cpp '"common/theme.h"'
wrong views/common/a.h '"graph/graph_canvas.h"'
wrong views/graph/a.cpp '"partition/current_partition.h"'
wrong views/partition/a.h '"panels/inspector_panel.h"'
wrong views/panels/a.cpp '"window/main_window.h"'
wrong views/memory/a.cpp '"budget/budget_panel.h"'
wrong views/memory/a.cpp '"kernels/kernels_panel.h"'
wrong views/kernels/a.cpp '"kernels/both.h"'
wrong views/values/a.cpp '"memory/memory_panel.h"'
for folder in engine/new engine/ir/new engine/torch/new engine/torch/run/new views/new; do
    mkdir "$tree/$folder"
    if "$check" "$tree" >/dev/null; then
        echo "not found: $folder has no place in the order"
        exit 1
    fi
    rmdir "$tree/$folder"
done
echo 'struct MarkSplit { LayoutSnapshotPtr picture; };' >"$tree/engine/contract/requests.h"
if "$check" "$tree" >/dev/null; then
    echo "not found: a pointer in a command"
    exit 1
fi
rm "$tree/engine/contract/requests.h"
wrong app/cli/a.cpp '<QString>'
wrong engine/load/a.cpp '<spdlog/spdlog.h>'
echo "each kind of wrong include is found"
