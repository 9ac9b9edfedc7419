#!/usr/bin/env bash
# Holds the only allowed direction between the rooms, by their includes:
#   base <- ir <- {load <- inductor, layout, memory, passes, kernels} <- aot <- {cache, evidence, steps} <- session <- {remote, torch, views} <- app
# and what else may be included where. Usage: check_includes.sh SOURCE_DIR
set -u
cd "$1" || exit 2
failures=0

fail() {
    echo "$1:$2: $3"
    failures=$((failures + 1))
}

# Every file of the first argument whose includes match the second, but for those matching the third.
forbid() {
    local files=$1 pattern=$2 except=$3 why=$4 hit file line
    while IFS= read -r hit; do
        file=${hit%%:*}
        line=${hit#*:}
        line=${line%%:*}
        if [[ -n $except && $file =~ $except ]]; then
            continue
        fi
        fail "$file" "$line" "$why: ${hit##*:}"
    done < <(grep -rnE --include='*.h' --include='*.cpp' "^[[:space:]]*#[[:space:]]*include[[:space:]]*$pattern" $files)
}

# room_may ROOM "rooms it may include"
room_may() {
    local room=$1 allowed=" $1 $2 " other
    for other in base ir load inductor layout passes memory kernels aot cache evidence steps session remote torch; do
        if [[ $allowed != *" $other "* && -d engine/$room ]]; then
            forbid "engine/$room" "\"$other/" "" "$room must not know $other"
        fi
    done
}

room_may base ""
room_may ir "base"
room_may load "base ir"
room_may inductor "base ir load"
room_may layout "base ir"
room_may memory "base ir"
room_may passes "base ir"
room_may kernels "base ir load passes"
room_may aot "base ir load memory passes"
room_may cache "base ir load passes aot"
room_may evidence "base ir load passes aot"
room_may steps "base ir load memory passes aot"
room_may session "base ir load inductor layout memory passes kernels aot cache evidence steps"
room_may remote "base ir load inductor layout passes memory kernels aot cache evidence steps session"
room_may torch "base ir load layout memory passes kernels aot steps session"

# inner_may ROOM FOLDER "folders of the room it may include" "all of its folders"; includes from other rooms are
# not looked at. PREFIX stands before the folder in an include.
inner_may() {
    local room=$1 prefix=$2 folder=$3 allowed=" $3 $4 " other
    for other in $5; do
        if [[ $allowed != *" $other "* && -d engine/$room/$folder ]]; then
            forbid "engine/$room/$folder" "\"$prefix$other/" "" "$room/$folder must not know $room/$other"
        fi
    done
}

# ir <- text <- json <- compare: what a graph is, its text, its JSON, and how two are compared
for folder in text json compare; do
    forbid "$(find engine/ir -maxdepth 1 -type f)" "\"ir/$folder/" "" "ir itself must not know ir/$folder"
done
inner_may ir ir/ text "" "json compare"
inner_may ir ir/ json "text" "compare"

# dispatch <- fake <- {ops, decompositions}, run <- wrappers <- {stepping, trace} <- {api, backend}: LibTorch's operators, tensors without data,
# what calls mean, graphs on real tensors, calls of compiled functions, AOTAutograd, and what the session is handed
torch_folders="dispatch cuda fake ops decompositions run wrappers stepping rerun trace backend api"
torch_may() { inner_may torch "" "$1" "$2" "$torch_folders"; }
torch_may dispatch ""
torch_may cuda "dispatch"
torch_may fake "dispatch"
torch_may ops "dispatch fake"
torch_may decompositions "dispatch fake"
torch_may run "dispatch cuda"
torch_may wrappers "dispatch cuda run"
torch_may stepping "dispatch cuda run wrappers"
torch_may rerun "dispatch cuda run wrappers stepping"
torch_may trace "dispatch cuda fake ops decompositions run wrappers"
torch_may backend "dispatch cuda fake ops decompositions run wrappers stepping rerun trace"
# The public header is implemented beside the backend.
torch_may api "dispatch cuda fake ops decompositions run wrappers trace"

for room in remote torch; do
    forbid views "\"$room/" "" "views must not know $room"
done
forbid engine '"(common|graph|compare|panels|views)/' "" "the engine must not know views"

# view_may FOLDER "folders of the window it may include"; style <- common <- {graph, partition} <- the panels <- window
view_may() {
    local folder=$1 allowed=" $1 $2 " other
    for other in style common graph partition compare panels budget kernels retrace steps values window; do
        if [[ $allowed != *" $other "* && -d views/$folder ]]; then
            forbid "views/$folder" "\"$other/" "" "views/$folder must not know views/$other"
        fi
    done
}

view_may style ""
view_may common "style"
view_may graph "style common"
view_may partition "style common"
view_may compare "style common graph"
view_may panels "style common partition"
view_may retrace "style common"
view_may values "style common"
view_may steps "style common partition"
view_may kernels "style common"
view_may memory "style common graph partition"
view_may hooks "style common partition"
view_may inductor "style common"
view_may budget "style common graph partition"
forbid "engine views" '"(app|cli)/' "" "only app is above"
forbid engine '<(Q[A-Z]|Qt)' "" "no Qt in the engine"
forbid "app/cli" '<(Q[A-Z]|Qt)' "" "the command line works without Qt"
forbid "engine views app" '[<"](ATen|c10|torch)/' "^engine/torch/" "LibTorch's headers belong to engine/torch"
forbid "engine views app" '<spdlog' "^engine/base/log\.cpp$" "spdlog is behind base/log.h"
forbid views '<QtWidgets>' "" "include the widget, not all of them"

# Commands are plain values: another process could send them.
while IFS= read -r hit; do
    fail engine/session/commands.h "${hit%%:*}" "a command holds no pointer and no function: ${hit#*:}"
done < <(grep -nE '(shared_ptr|unique_ptr|weak_ptr|std::function|[A-Za-z]Ptr\b|[A-Za-z>] ?\*)' engine/session/commands.h 2>/dev/null |
    grep -vE '^[0-9]+:[[:space:]]*//')

# A header includes nlohmann's forward declarations only, but for those private to a source folder.
forbid engine '<nlohmann/json\.hpp>' "\.cpp$|json_text\.h$|_json\.h$" "headers take nlohmann/json_fwd.hpp"

# The check itself must be able to fail: it sees this tree's includes at all.
seen=$(grep -rhoE --include='*.h' --include='*.cpp' '^#include "(base|ir)/' engine | wc -l)
if ((seen < 10)); then
    fail engine 0 "the check found only $seen includes: it looks in the wrong place"
fi
if ((failures > 0)); then
    echo "$failures includes go the wrong way"
    exit 1
fi
echo "every include goes the allowed way"
