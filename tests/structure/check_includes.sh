#!/usr/bin/env bash
# Holds the only allowed direction between the folders, by their includes:
#   base <- ir <- {load <- {inductor, timeline}, layout, memory, passes, kernels} <- aot <- {cache, evidence, hooks, steps} <- contract <- {remote, torch, files}
#   files <- judge <- {explore <- recompile, runs} <- session <- views <- app
# and what else may be included where. Usage: check_includes.sh SOURCE_DIR
set -u
cd "$1" || exit 2
failures=0

fail() {
    echo "$1:$2: $3"
    failures=$((failures + 1))
}

# What each folder may include besides itself. A room's folders, where they are named, may include what the room may.
declare -A may=(
    [base]=""
    [ir]="base ir/operators ir/symbolic"
    [load]="base ir"
    [inductor]="base ir load"
    [timeline]="base ir load"
    [layout]="base ir"
    [memory]="base ir"
    [passes]="base ir"
    [kernels]="base ir load passes"
    [aot]="base ir load memory passes"
    [cache]="base ir load passes aot"
    [evidence]="base ir load passes aot"
    [hooks]="base ir load passes aot"
    [steps]="base ir load memory passes aot"
    [contract]="base ir load layout memory passes kernels aot hooks steps"
    [files]="base ir load inductor timeline passes aot evidence contract"
    [judge]="base ir load layout passes aot evidence contract files"
    [explore]="base ir load layout memory passes aot evidence hooks judge contract files"
    [recompile]="base ir load passes aot cache evidence steps judge contract files explore"
    [runs]="base ir load timeline passes kernels aot judge contract files"
    [session]="base ir load inductor timeline layout memory passes kernels aot cache evidence hooks steps contract files explore recompile runs"
    [remote]="base ir load inductor timeline layout passes memory kernels aot cache evidence hooks steps contract"
    [torch]="base ir load timeline layout memory passes kernels aot hooks steps contract"
    [views]="base ir load inductor timeline layout memory passes kernels aot cache evidence hooks steps contract files explore recompile runs session"

    # {symbolic, operators} <- ir <- text <- json <- compare: symbolic numbers, what is known of operators, what a graph is, its
    # text, its JSON, and how two are compared
    [ir/symbolic]=""
    [ir/operators]=""
    [ir/text]=""
    [ir/json]="ir/text"
    [ir/compare]="ir/text ir/json"

    # dispatch <- fake <- {ops, decompositions <- operators}, run <- {operators, kernels, wrappers} <- {stepping, trace} <-
    # {api, backend}: LibTorch's operators, tensors without data, what calls mean, graphs on real tensors, generated
    # kernels, calls of compiled functions, AOTAutograd, and what the session gets. The public header is implemented
    # beside the backend.
    [torch/dispatch]=""
    [torch/cuda]="torch/dispatch"
    [torch/fake]="torch/dispatch"
    [torch/ops]="torch/dispatch torch/fake"
    [torch/decompositions]="torch/dispatch torch/fake"
    [torch/operators]="torch/dispatch torch/fake torch/decompositions torch/run"
    [torch/run]="torch/dispatch torch/cuda"
    # state <- inputs <- replacements <- execution <- reference <- measuring: what a run's graphs share, what they begin
    # with, what is called in place of operators, nodes run in order, exact arithmetic beside them, and what is answered
    [torch/run/state]=""
    [torch/run/inputs]="torch/run/state"
    [torch/run/replacements]="torch/run/state torch/run/inputs"
    [torch/run/execution]="torch/run/state torch/run/inputs torch/run/replacements"
    [torch/run/reference]="torch/run/state torch/run/inputs torch/run/replacements torch/run/execution"
    [torch/run/measuring]="torch/run/state torch/run/inputs torch/run/replacements torch/run/execution torch/run/reference"
    [torch/kernels]="torch/dispatch torch/cuda torch/run"
    [torch/wrappers]="torch/dispatch torch/cuda torch/run"
    [torch/stepping]="torch/dispatch torch/cuda torch/run torch/wrappers"
    [torch/rerun]="torch/dispatch torch/cuda torch/run torch/kernels torch/wrappers torch/stepping"
    [torch/trace]="torch/dispatch torch/cuda torch/fake torch/ops torch/decompositions torch/run torch/wrappers"
    [torch/backend]="torch/dispatch torch/cuda torch/fake torch/ops torch/decompositions torch/run torch/kernels torch/wrappers
        torch/stepping torch/rerun torch/trace"
    [torch/api]="torch/dispatch torch/cuda torch/fake torch/ops torch/decompositions torch/run torch/wrappers torch/trace"

    # style <- common <- {graph, partition} <- the panels <- window
    [views/style]=""
    [views/common]="views/style"
    [views/graph]="views/style views/common"
    [views/partition]="views/style views/common"
    [views/compare]="views/style views/common views/graph"
    [views/panels]="views/style views/common views/partition"
    [views/retrace]="views/style views/common"
    [views/values]="views/style views/common"
    [views/steps]="views/style views/common views/partition"
    [views/kernels]="views/style views/common"
    [views/memory]="views/style views/common views/graph views/partition"
    [views/hooks]="views/style views/common views/partition"
    [views/inductor]="views/style views/common"
    [views/timeline]="views/style views/common"
    [views/budget]="views/style views/common views/graph views/partition"
    [views/window]="views/style views/common views/graph views/partition views/compare views/panels views/retrace views/values
        views/steps views/kernels views/memory views/hooks views/inductor views/timeline views/budget"
)

for folder in engine/*/ engine/{ir,torch,torch/run}/*/ views/*/; do
    folder=${folder%/}
    if [[ -d $folder && ! -v "may[${folder#engine/}]" ]]; then
        fail "$folder" 0 "this folder has no place in the order (tests/structure/check_includes.sh)"
    fi
done

# The innermost folder with a place in the order that a file of the engine or of the window lies in.
place_of() {
    place=${1#engine/}
    place=${place%/*}
    while [[ $place == */* && ! -v "may[$place]" ]]; do
        place=${place%/*}
    done
}

# The path of the file that an include names; empty: it lies in no folder that has a place. Files of engine/torch and of
# views may leave out the name of these. Where a room and a folder in engine/torch have one name, it stands for the room;
# where a room and a folder of the window do, the file has to be in one of them only.
named_by() {
    local file=$1 line=$2 include=$3 first=${3%%/*} near=none
    case $file in
    engine/torch/*) near=engine/torch ;;
    views/*) near=views ;;
    esac
    named=
    if [[ -d $near/$first && -d engine/$first ]]; then
        named=engine/$include
        if [[ $near == engine/torch && -e $near/$include ]]; then
            fail "$file" "$line" "\"$first/\" is engine/$first: write \"torch/$include\""
        elif [[ $near == views && -e $near/$include && -e $named ]]; then
            fail "$file" "$line" "\"$include\" is in views and in the engine"
        elif [[ $near == views && ! -e $named ]]; then
            named=views/$include
        fi
    elif [[ -d $near/$first ]]; then
        named=$near/$include
    elif [[ -d engine/$first ]]; then
        named=engine/$include
    elif [[ -d views/$first ]]; then
        named=views/$include
    fi
}

includes() {
    # shellcheck disable=SC2086 # several folders
    grep -rnE --include='*.h' --include='*.cpp' "^[[:space:]]*#[[:space:]]*include[[:space:]]*$2" $1
}

seen=0
while IFS=: read -r file line include; do
    seen=$((seen + 1))
    include=${include#*\"}
    include=${include%%\"*}
    named_by "$file" "$line" "$include"
    [[ -z $named ]] && continue
    place_of "$file"
    from=$place
    # What each of the folders around it may, it may too.
    allowed=" $from ${may[$from]-} "
    around=$from
    while [[ $around == */* ]]; do
        around=${around%/*}
        allowed+="$around ${may[$around]-} "
    done
    place_of "$named"
    # Another room is allowed or not as a whole.
    while [[ $place == */* && $from/ != "${place%/*}"/* ]]; do
        place=${place%/*}
    done
    if [[ $allowed != *[[:space:]]"$place"[[:space:]]* ]]; then
        fail "$file" "$line" "$from must not know $place: \"$include\""
    fi
done < <(includes "engine views" '"[^"]*/')

# Every file of the first argument whose includes match the second, but for those matching the third.
forbid() {
    local files=$1 pattern=$2 except=$3 why=$4 file line include
    while IFS=: read -r file line include; do
        if [[ -z $except || ! $file =~ $except ]]; then
            fail "$file" "$line" "$why: $include"
        fi
    done < <(includes "$files" "$pattern")
}

# What PyTorch answered is only compared with: of these rooms' files these hand it over and ask for verdicts.
forbid "engine/contract engine/files engine/explore engine/recompile engine/runs engine/session" '"judge/' \
    "^engine/(recompile/retracer\.cpp|runs/recorded_run\.h|explore/(joint_input\.h|(partition_by_choices|split_fates)\.cpp))$" \
    "this file makes things, and must not know PyTorch's answers"
forbid "engine views" '"(app|cli)/' "" "only app is above"
forbid engine '<(Q[A-Z]|Qt)' "" "no Qt in the engine"
forbid "app/cli" '<(Q[A-Z]|Qt)' "" "the command line works without Qt"
forbid "engine views app" '[<"](ATen|c10|torch)/' "^engine/torch/" "LibTorch's headers belong to engine/torch"
forbid "engine views app" '<spdlog' "^engine/base/log\.cpp$" "spdlog is behind base/log.h"
forbid views '<QtWidgets>' "" "include the widget, not all of them"

# Commands are plain values: another process could send them.
while IFS= read -r hit; do
    fail engine/contract/requests.h "${hit%%:*}" "a command holds no pointer and no function: ${hit#*:}"
done < <(grep -nE '(shared_ptr|unique_ptr|weak_ptr|std::function|[A-Za-z]Ptr\b|[A-Za-z>] ?\*)' engine/contract/requests.h 2>/dev/null |
    grep -vE '^[0-9]+:[[:space:]]*//')

# A header includes nlohmann's forward declarations only, but for those private to a source folder.
forbid engine '<nlohmann/json\.hpp>' "\.cpp$|json_text\.h$|_json\.h$" "headers take nlohmann/json_fwd.hpp"

# The check itself must be able to fail: it sees this tree's includes at all.
if ((seen < 10)); then
    fail engine 0 "the check found only $seen includes: it looks in the wrong place"
fi
if ((failures > 0)); then
    echo "$failures includes go the wrong way"
    exit 1
fi
echo "every include goes the allowed way"
