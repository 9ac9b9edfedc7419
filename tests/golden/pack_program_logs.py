#!/usr/bin/env python3
"""Joins the logs of make_more_program_logs.py into one, for more_program_logs.log.xz.

    python pack_program_logs.py [--without KIND,…] LOGS more_program_logs.log.xz more_program_names.txt [PATH=REPLACEMENT…]

Each program gets frame numbers of its own, which the names file lists; interned strings are numbered anew. Paths of the
machine are replaced as asked, and the payloads' md5 sums made true again. Records of the kinds that are named, such as
chromium_event or an artifact's name, are left out.
"""

import glob
import hashlib
import lzma
import os
import re
import sys

STRING = re.compile(rb'\] (\{"str": \["(.*)", (\d+)\]\})$')
FILE = re.compile(rb'"filename": (\d+)')
FRAME = re.compile(rb'"frame_id": (\d+)')
DIGEST = re.compile(rb'"has_payload": "[0-9a-f]{32}"')


def records(raw):
    """Envelope lines, each with the lines of its payload."""
    lines = raw.split(b"\n")
    i = 0
    while i < len(lines):
        end = i + 1
        while end < len(lines) and lines[end].startswith(b"\t"):
            end += 1
        yield lines[i], lines[i + 1 : end]
        i = end


def main():
    arguments = sys.argv[1:]
    unwanted = []
    if arguments[0] == "--without":
        unwanted = [b'"' + kind.encode() + b'"' for kind in arguments[1].split(",")]
        arguments = arguments[2:]
    logs, packed, names, *replacements = arguments
    strings, out, known, frame = {}, [], [], 0
    for folder in sorted(glob.glob(os.path.join(logs, "*"))):
        files = glob.glob(os.path.join(folder, "*.log"))
        if len(files) != 1:
            continue
        raw = open(files[0], "rb").read()
        for replacement in replacements:
            raw = raw.replace(*(part.encode() for part in replacement.split("=", 1)))
        local, last = {}, -1
        for envelope, payload in records(raw):
            if any(kind in envelope for kind in unwanted):
                continue
            interned = STRING.search(envelope)
            if interned:
                text = interned.group(2)
                local[interned.group(3)] = text
                if text not in strings:
                    strings[text] = len(strings)
                    out.append(envelope[: interned.start(3)] + str(strings[text]).encode() + b"]}")
                continue
            numbered = lambda m: b'"filename": %d' % strings[local[m.group(1)]] if m.group(1) in local else m.group(0)
            envelope = FILE.sub(numbered, envelope)
            if FRAME.search(envelope):
                last = max(last, int(FRAME.search(envelope).group(1)))
                envelope = FRAME.sub(lambda m: b'"frame_id": %d' % (frame + int(m.group(1))), envelope)
            digest = hashlib.md5(b"\n".join(line[1:] for line in payload)).hexdigest().encode()
            out.append(DIGEST.sub(b'"has_payload": "' + digest + b'"', envelope))
            out.extend(payload)
        known += [(frame + i, os.path.basename(folder)) for i in range(last + 1)]
        frame += last + 1
    with open(packed, "wb") as file:
        file.write(lzma.compress(b"\n".join(out) + b"\n", preset=9 | lzma.PRESET_EXTREME))
    with open(names, "w") as file:
        file.writelines(f"{number} {name}\n" for number, name in known)


if __name__ == "__main__":
    main()
