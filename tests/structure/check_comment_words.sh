#!/usr/bin/env bash
# Counts the lines of comments with words that docs/GLOSSARY.md replaces by plain ones. The number may only go down:
# where it has, lower MOST in CMakeLists.txt. Usage: check_comment_words.sh SOURCE_DIR MOST
set -u
cd "$1" || exit 2
most=$2
words='told|asked|made|given|found out|whoever|stand still|computed again|lets go|goes on|of its own'
lines() {
    grep -rniP --include='*.h' --include='*.cpp' "(^|\s)//.*\b($words)\b" "$@"
    grep -rnP --include='*.h' --include='*.cpp' '(^|\s)//+\s?Of (a|an|the|what|each|those)\b' "$@"
}
folders=()
for folder in engine app views include; do
    [[ -d $folder ]] && folders+=("$folder")
done
# The check itself must be able to fail: it sees comments at all.
if ((${#folders[@]} == 0)) || ! grep -rqP --include='*.h' --include='*.cpp' '(^|\s)//' "${folders[@]}"; then
    echo "there are no comments: the check looks in the wrong place"
    exit 1
fi
hits=$(lines "${folders[@]}" | sort -u)
count=$(printf '%s' "$hits" | grep -c '')
if ((count > most)); then
    printf '%s\n' "$hits"
    echo "$count lines of comments with these words, at most $most may have one; see docs/GLOSSARY.md"
    exit 1
fi
if ((count < most)); then
    echo "$count lines of comments with these words: lower the maximum, $most, to that in tests/structure/CMakeLists.txt"
    exit 1
fi
echo "$count lines of comments with these words, as many as may have one"
