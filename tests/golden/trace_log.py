"""Reads PyTorch's trace logs: envelope lines, each followed by the tab-indented lines of its payload."""

import dataclasses
import json
import re

ENVELOPE = re.compile(rb"^V\d{4} \S+ \d+ ([^\]]+)\] (\{.*\})$")
# Keys that say where an entry belongs; the one key besides them is the entry's kind.
PLACE = ("frame_id", "frame_compile_id", "attempt", "compiled_autograd_id", "rank", "stack", "has_payload")


def records(raw):
    """Envelope lines, each with the lines of its payload (their tab is still there)."""
    lines = raw.split(b"\n")
    i = 0
    while i < len(lines):
        end = i + 1
        while end < len(lines) and lines[end].startswith(b"\t"):
            end += 1
        yield lines[i], lines[i + 1 : end]
        i = end


@dataclasses.dataclass
class Entry:
    kind: str  # "aot_joint_graph"; of an artifact its name: "artifact torch_version"
    told: object  # what the envelope says under the kind
    place: dict
    payload: str

    @property
    def compile(self):
        """"0/1", "!2" of compiled autograd, "!2 0/1" of Dynamo below it, or "" of an entry without id."""
        parts = []
        if self.place.get("compiled_autograd_id") is not None:
            parts.append(f"!{self.place['compiled_autograd_id']}")
        if self.place.get("frame_id") is not None:
            parts.append(f"{self.place['frame_id']}/{self.place.get('frame_compile_id')}")
        return " ".join(parts)


def entries(path):
    with open(path, "rb") as file:
        raw = file.read()
    for envelope, payload in records(raw):
        matched = ENVELOPE.match(envelope)
        if not matched:
            continue
        keys = json.loads(matched.group(2))
        place = {key: keys.pop(key) for key in PLACE if key in keys}
        kind, told = next(iter(keys.items()))
        place |= {key: value for key, value in keys.items() if key != kind}
        if kind == "artifact":
            kind = "artifact " + told["name"]
        if kind != "str":
            yield Entry(kind, told, place, b"\n".join(line[1:] for line in payload).decode(errors="replace"))
