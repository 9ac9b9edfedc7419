#!/usr/bin/env bash
# What an input or output is to the compiled function is told by its descriptor (engine/ir/descriptor.h), never by a
# name or a text. Fails where code spells a descriptor's class, or a name AOTAutograd gives its inputs, in a string.
# Usage: check_descriptor_names.sh SOURCE_DIR
set -u
cd "$1" || exit 2
failures=0

# Descriptors are printed and read, and read off the names of graphs that have none, in these files alone.
descriptors='(^|/)(descriptor_text|derived_descriptors)\.cpp$'
# Here inputs get PyTorch's names; they must not be compared with them.
makers='(^|/)(capture|graph_capture|subgraph_partition|retracer)\.cpp$'
comparison='[!=]=[^=]|find|contains|starts_with|ends_with|compare|substr'
# A string literal that goes on as the pattern says, outside of comments: whole literals may stand before it.
literal='^(?:[^"/]|/(?!/))*+(?:"(?:[^"\\]|\\.)*+"(?:[^"/]|/(?!/))*+)*"'

forbid() {
    local pattern=$1 except=$2 why=$3 hit
    while IFS= read -r hit; do
        if [[ ! ${hit%%:*} =~ $except ]]; then
            echo "$hit: $why"
            failures=$((failures + 1))
        fi
    done < <(grep -rnP --include='*.h' --include='*.cpp' "$pattern" engine views app)
}

forbid "$literal"'(?:[^"\\]|\\.)*AOT(?:In|Out)put' "$descriptors" "a descriptor as a text"
forbid "$literal"'(?:tangents|primals)_' "$descriptors|$makers" "a name of AOTAutograd's inputs"
while IFS= read -r hit; do
    if [[ ! ${hit%%:*} =~ $descriptors && ${hit#*:} =~ $comparison ]]; then
        echo "$hit: a name is compared"
        failures=$((failures + 1))
    fi
done < <(grep -rnP --include='*.h' --include='*.cpp' "$literal"'(?:tangents|primals)' engine views app)

# The check itself must be able to fail: it sees the files where such texts belong.
if [[ -z $(find engine -name descriptor_text.cpp -exec grep -lE '"PlainAOTInput"' {} +) ]]; then
    echo "engine: nobody prints descriptors: the check looks in the wrong place"
    failures=$((failures + 1))
fi
if ((failures > 0)); then
    echo "$failures lines ask texts what descriptors tell"
    exit 1
fi
echo "no text is asked what a descriptor tells"
