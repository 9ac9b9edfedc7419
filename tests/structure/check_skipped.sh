#!/usr/bin/env bash
# Without a corpus a test that reads it stands as skipped in ctest's summary, and what needs none still runs:
# check_skipped.sh BUILD_FOLDER
set -uo pipefail
tests="$(mktemp -d)"
trap 'rm -rf "$tests"' EXIT
# A list of its own, so that this run's log is not that of the run it is part of.
echo "subdirs(\"$1/tests/ir\")" >"$tests/CTestTestfile.cmake"
summary="$(AOTSCOPE_CORPUS="$tests/no_corpus" ctest --test-dir "$tests" -R '^tst_(json|json_corpus|text_golden)$')"
code=$?
bad=0
expect() {
    grep -qE "$1" <<<"$summary" || {
        echo "There is no line like '$1'." >&2
        bad=1
    }
}
expect 'tst_json \.+ +Passed'
expect 'tst_json_corpus \.+\*+Skipped'
expect 'tst_text_golden \.+\*+Skipped'
[ "$code" = 0 ] || bad=1
[ "$bad" = 0 ] || echo "$summary" >&2
exit "$bad"
