#!/usr/bin/env bash
# Proves that check_torch_errors.sh finds each kind of line it is for. Usage: check_the_torch_error_check.sh CHECK
set -u
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/engine/torch/{dispatch,fake} "$tree"/{views,app}
echo '} catch (const c10::Error& error) {' >"$tree/engine/torch/dispatch/handled_error.cpp"
echo '} catch (const c10::Error&) {' >"$tree/engine/torch/fake/good.cpp"
"$check" "$tree" >/dev/null || { echo "a good tree fails the check:"; "$check" "$tree"; exit 1; }

wrong() {
    echo "$2" >"$tree/$1"
    if "$check" "$tree" >/dev/null; then
        echo "not found in $1: $2"
        exit 1
    fi
    rm "$tree/$1"
}
wrong engine/torch/fake/a.cpp '} catch (const c10::Error& error) {'
wrong engine/torch/fake/a.cpp '} catch (c10::NotImplementedError& refused) {'
wrong app/a.cpp 'message = error.what_without_backtrace();'
rm "$tree/engine/torch/dispatch/handled_error.cpp"
if "$check" "$tree" >/dev/null; then
    echo "a tree where nobody reads them passes"
    exit 1
fi
echo "each kind of line is found"
