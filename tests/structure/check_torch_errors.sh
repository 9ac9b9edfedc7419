#!/usr/bin/env bash
# LibTorch's exceptions become errors in one file, engine/torch/dispatch/handled_error.cpp. Elsewhere a catch may only see
# that LibTorch refused something, without a name for the exception, and what it does then says the comment there.
# Usage: check_torch_errors.sh SOURCE_DIR
set -u
cd "$1" || exit 2
place=engine/torch/dispatch/handled_error.cpp
pattern='what_without_backtrace|catch *\((const +)?c10::[A-Za-z]*Error *& *[a-z]'
failures=0
while IFS= read -r hit; do
    if [[ ${hit%%:*} != "$place" ]]; then
        echo "$hit: use handledError"
        failures=$((failures + 1))
    fi
done < <(grep -rnE --include='*.h' --include='*.cpp' "$pattern" engine views app)

# The check itself must be able to fail: it sees the place where such lines belong.
if ! grep -qE "$pattern" "$place" 2>/dev/null; then
    echo "$place: nobody reads LibTorch's exceptions: the check looks in the wrong place"
    failures=$((failures + 1))
fi
if ((failures > 0)); then
    echo "$failures lines read LibTorch's exceptions"
    exit 1
fi
echo "LibTorch's exceptions are read in one place"
