"""Reads the reprs of dataclasses that PyTorch logs, such as ViewAndMutationMeta's, and compares two of them."""

import dataclasses
import re

TOKEN = re.compile(
    r"""\s*(?:
        (?P<open>[(\[{]) | (?P<close>[)\]}]) | (?P<comma>,) | (?P<key>\w+)=(?!=) | (?P<colon>:(?=\s)) |
        (?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*") | (?P<angle><(?:[^<>]|<[^<>]*>)*>) | (?P<word>[^\s()\[\]{},<>'"]+|[<>])
    )""",
    re.VERBOSE,
)


@dataclasses.dataclass
class Value:
    """`Name(…)`, or a list, tuple, set or dict (then its bracket is the name), or a word."""

    name: str
    fields: dict = dataclasses.field(default_factory=dict)
    items: list = dataclasses.field(default_factory=list)
    leaf: bool = False


class Reader:
    def __init__(self, text):
        self.tokens = [(m.lastgroup, m.group(m.lastgroup)) for m in TOKEN.finditer(text)]
        self.at = 0

    def kind(self):
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def take(self):
        self.at += 1
        return self.tokens[self.at - 1][1]

    def value(self):
        """Words up to a comma or bracket; a bracket behind them makes them a call."""
        words = []
        while self.kind() in ("word", "text", "angle", "colon", "key"):
            words.append(self.take())
        if self.kind() != "open":
            return Value(" ".join(words), leaf=True)
        found = Value(" ".join(words) + self.take())
        while self.kind() not in ("close", None):
            key = self.take() if self.kind() == "key" else None
            item = self.value()
            if key is None:
                found.items.append(item)
            else:
                found.fields[key] = item
            if self.kind() == "comma":
                self.take()
        if self.kind() == "close":
            self.take()
        # Something may stand behind the bracket, as in `device(type='cpu'), torch.Size([2])`.
        while self.kind() in ("word", "text", "angle"):
            self.take()
        return found


def read(text):
    return Reader(text).value()


def shown(value):
    """Numbers and addresses masked: which ones differ is no rule."""
    if value.leaf:
        text = re.sub(r"\b\d+\b", "N", re.sub(r"0x[0-9a-f]+", "ADDRESS", value.name))
        return text if len(text) < 50 else text[:49] + "…"
    return value.name + "…"


def differences(old, new, where=""):
    """Rules such as `InputAliasInfo.requires_grad: True → False`."""
    if old.name != new.name:
        if shown(old) != shown(new) or old.name.isdigit():
            yield f"`{where}`: `{shown(old)}` → `{shown(new)}`"
        return
    inside = old.name.strip("([{") or where
    for field in sorted(old.fields.keys() - new.fields.keys()):
        yield f"`{inside}.{field}` is gone"
    for field in sorted(new.fields.keys() - old.fields.keys()):
        yield f"`{inside}.{field}` is new"
    for field in sorted(old.fields.keys() & new.fields.keys()):
        yield from differences(old.fields[field], new.fields[field], f"{inside}.{field}")
    if len(old.items) != len(new.items):
        yield f"`{where}`: another number of elements"
    elif all(x.leaf for x in old.items + new.items):
        if [shown(x) for x in old.items] != [shown(x) for x in new.items] or old.items != new.items:
            yield f"`{where}`: other elements"
    else:
        for x, y in zip(old.items, new.items):
            yield from differences(x, y, where)
