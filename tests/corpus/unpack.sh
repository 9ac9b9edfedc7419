#!/usr/bin/env bash
# Unpacks the project's part of the corpus into a folder: unpack.sh FOLDER
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
rm -rf "$1"
mkdir -p "$1"
for archive in graphs signatures tensors; do
    tar -xJf "$here/$archive.tar.xz" -C "$1"
done
# These are packed one by one in the corpus. Here they lie plain inside the archive, which is smaller so.
(cd "$1" && sed 's/\.xz$//' "$here/packed.txt" | xargs xz -0)
touch "$1/.unpacked"
