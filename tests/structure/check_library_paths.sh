#!/usr/bin/env bash
# No program and no library of a build searches the current folder for libraries: glibc's loader takes an empty path
# in RUNPATH for it, and who starts the program chooses that folder. Relative paths do the same.
# Usage: check_library_paths.sh BUILD_DIR
set -u
failures=0
checked=0
for file in "$1"/bin/aotscope* "$1"/lib/*.so "$1"/lib/aotscope-*; do
    [ -f "$file" ] || continue
    path="$(readelf -d "$file" | sed -n 's/.*(RU\?N\?PATH) *Library r\(un\)\?path: \[\(.*\)\]/\2/p')"
    checked=$((checked + 1))
    while IFS= read -r -d : one; do
        if [[ $one != /* && $one != '$ORIGIN'* ]]; then
            echo "${file#"$1"/}: its library path \"$path\" has \"$one\""
            failures=$((failures + 1))
        fi
    done < <([ -z "$path" ] || printf '%s:' "$path")
done
echo "$checked files"
[ "$checked" -gt 10 ] && [ "$failures" -eq 0 ]
