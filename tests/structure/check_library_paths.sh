#!/usr/bin/env bash
# None of the programs and libraries that are installed searches the current folder for libraries: glibc's loader takes an
# empty path in RUNPATH for it, and who starts the program chooses that folder. Relative paths do the same. The libraries find
# each other beside them, as they are installed.
# Usage: check_library_paths.sh BUILD_DIR
set -u
failures=0
checked=0
for file in "$1"/bin/aotscope* "$1"/lib/libaotscope_*.so "$1"/lib/aotscope-*; do
    [ -f "$file" ] || continue
    path="$(readelf -d "$file" | sed -n 's/.*(RU\?N\?PATH) *Library r\(un\)\?path: \[\(.*\)\]/\2/p')"
    checked=$((checked + 1))
    if [[ $file == *.so && ":$path:" != *':$ORIGIN:'* ]]; then
        echo "${file#"$1"/}: its library path \"$path\" lacks \$ORIGIN"
        failures=$((failures + 1))
    fi
    while IFS= read -r -d : one; do
        if [[ $one != /* && $one != '$ORIGIN'* ]]; then
            echo "${file#"$1"/}: its library path \"$path\" has \"$one\""
            failures=$((failures + 1))
        fi
    done < <([ -z "$path" ] || printf '%s:' "$path")
done
echo "$checked files"
[ "$checked" -gt 10 ] && [ "$failures" -eq 0 ]
