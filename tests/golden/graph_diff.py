"""What differs between two printed graphs, each difference as a rule that can be counted over many programs."""

import collections
import dataclasses
import difflib
import re

IDENTIFIER = re.compile(r"(?<![\w.'\"])[A-Za-z_]\w*(?![\w.('\"])")
TYPE = re.compile(r"^(?P<dtype>[^\[]*)(?P<shape>\[[^\]]*\])?(?P<stride>\[[^\]]*\])?(?P<device>.*)$")
PLACE = re.compile(r"^(?P<head>.*?)File: (?P<file>\S+):\d+(?: in (?P<function>\S+))?, code: (?P<code>.*)$")
SUFFIX = re.compile(r"(_\d+)+$")
LONGEST = 70


@dataclasses.dataclass
class Change:
    section: str
    rule: str
    old: list
    new: list


def short(text):
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def code(text):
    return f"`{short(text)}`"


def number_in(name):
    digits = name.rpartition("_")[2]
    return int(digits) if digits.isdigit() else 0


def masked(text):
    """Numbers masked, so that descriptors and comments of many programs look alike."""
    return re.sub(r"\d+", "N", re.sub(r"0x[0-9a-f]+", "ADDRESS", text))


def counted(targets):
    return ", ".join(f"{x}" + (f" ×{n}" if n > 1 else "") for x, n in collections.Counter(targets).items())


def aligned(old, new):
    """Pairs of equal items and hunks of unequal ones, as index ranges."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    return matcher.get_opcodes()


def differing_parts(old, new):
    """Of two types such as `f32[2, 3][3, 1]cpu`."""
    old, new = TYPE.match(old).groupdict(), TYPE.match(new).groupdict()
    return " and ".join(part for part in old if old[part] != new[part])


def replacement(old, new):
    if not old:
        return f"+ `{counted(new)}`"
    if not new:
        return f"− `{counted(old)}`"
    return f"`{counted(old)}` → `{counted(new)}`"


def split_arguments(text):
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return parts + [text[start:].strip()]


def key(line):
    """What two lines must share to be the same node: an attribute's name, too."""
    return f"get_attr {line.arguments}" if line.target == "get_attr" else line.target


def operators(lines):
    return [x.target for x in lines]


class Comparison:
    """Of two graphs; `known` are the new names of old nodes of the joint graph these were cut from."""

    def __init__(self, old, new, known):
        self.old, self.new = old, new
        self.names = dict(known)
        self.inputs = self.pair_inputs()
        self.blocks = aligned([key(x) for x in old.nodes], [key(x) for x in new.nodes])
        self.pairs = []
        for tag, a, b, c, d in self.blocks:
            if tag == "equal":
                self.pairs += zip(old.nodes[a:b], new.nodes[c:d])
        self.names |= {x.name: y.name for x, y in [*self.inputs, *self.pairs]}

    def pair_inputs(self):
        """By name; those left by their order, if they are as many."""
        new = {x.name: x for x in self.new.inputs}
        pairs = [(x, new[self.names.get(x.name, x.name)]) for x in self.old.inputs if self.names.get(x.name, x.name) in new]
        taken = [{id(x[side]) for x in pairs} for side in (0, 1)]
        rest = [[x for x in graph.inputs if id(x) not in ids] for graph, ids in zip((self.old, self.new), taken)]
        return pairs + (list(zip(*rest)) if len(rest[0]) == len(rest[1]) else [])

    def changes(self):
        yield from self.listed("inputs", self.old.inputs, self.new.inputs)
        for old, new in self.inputs:
            yield from self.described("inputs", old, new)
            if old.type != new.type:
                what = new.comment.split("(")[0] or "value of the forward graph"
                yield Change("Inputs", f"{what}: {differing_parts(old.type, new.type)}", [old.text], [new.text])
        yield from self.operators()
        yield from self.numbering()
        for old, new in self.pairs:
            yield from self.arguments(old, new)
            yield from self.types(old, new)
            yield from self.node_names(old, new)
            yield from comments(old, new)
        yield from self.listed("results", self.old.results, self.new.results)
        if len(self.old.results) == len(self.new.results):
            for old, new in zip(self.old.results, self.new.results):
                yield from self.described("results", old, new)

    def operators(self):
        gone = collections.Counter(key(x) for x in self.old.nodes)
        gone.subtract(key(x) for x in self.new.nodes)
        for tag, a, b, c, d in self.blocks:
            if tag == "equal":
                continue
            old, new = self.old.nodes[a:b], self.new.nodes[c:d]
            less, more = [x for x in old if gone[key(x)] > 0], [x for x in new if gone[key(x)] < 0]
            lines = [x.text for x in old], [x.text for x in new]
            if less or more:
                yield Change("Operators", replacement(operators(less), operators(more)), *lines)
            else:
                moved = sorted({*operators(old), *operators(new)})
                yield Change("Order of operators", "moved: `" + ", ".join(moved) + "`", *lines)

    def renamed(self, text):
        return IDENTIFIER.sub(lambda m: self.names.get(m.group(0), m.group(0)), text)

    def arguments(self, old, new):
        """What an operand is called that the other graph lacks is no difference of its own."""
        if self.renamed(old.arguments) == new.arguments:
            return
        before, after = [self.renamed(x) for x in split_arguments(old.arguments)], split_arguments(new.arguments)
        shared = set(self.names.values())
        for tag, a, b, c, d in aligned(before, after):
            texts = [", ".join(x) for x in (before[a:b], after[c:d])]
            plain = [IDENTIFIER.sub("%", x) for x in texts]
            if tag == "equal":
                continue
            if plain[0] != plain[1]:
                rule = " → ".join(code(x or "(none)") for x in plain)
                yield Change("Arguments", f"`{old.target}`: {rule}", [old.text], [new.text])
            elif all(name in shared for text in texts for name in IDENTIFIER.findall(text)):
                yield Change("Arguments", "another operand that both graphs have", [old.text], [new.text])

    def types(self, old, new):
        if old.type != new.type:
            yield Change("Types", f"`{old.target}`: {differing_parts(old.type, new.type)}", [old.text], [new.text])

    def node_names(self, old, new):
        bases = SUFFIX.sub("", old.name), SUFFIX.sub("", new.name)
        if bases[0] != bases[1]:
            yield Change("Names", f"`{old.target}`: {code(bases[0])} → {code(bases[1])}", [old.text], [new.text])

    def numbering(self):
        """Names of a graph with the same nodes that differ in their numbers alone."""
        if len(self.pairs) != len(self.old.nodes) or len(self.pairs) != len(self.new.nodes):
            return
        moved = [(x, y) for x, y in self.pairs if x.name != y.name and SUFFIX.sub("", x.name) == SUFFIX.sub("", y.name)]
        if not moved:
            return
        lower = all(number_in(x.name) > number_in(y.name) for x, y in moved)
        symbols = any("Sym(" in x.type for x in (*self.new.inputs, *self.new.nodes))
        rule = f"{'lower' if lower else 'other'} numbers, in a graph with the same nodes {'and' if symbols else 'but no'} symbols"
        yield Change("Names", rule, [x.text for x, _ in moved], [y.text for _, y in moved])

    def listed(self, what, old, new):
        """Inputs or results: how many, and in which order."""
        before, after = [self.names.get(x.name, x.name) for x in old], [x.name for x in new]
        lines = [x.text for x in old], [x.text for x in new]
        if len(before) != len(after):
            yield Change(what.capitalize(), f"{'more' if len(after) > len(before) else 'fewer'} {what}", *lines)
        elif before != after and sorted(before) == sorted(after):
            yield Change(what.capitalize(), f"{what} in another order", *lines)

    def described(self, what, old, new):
        if masked(old.comment) != masked(new.comment):
            rule = f"described {code(masked(old.comment))} → {code(masked(new.comment))}"
            yield Change(what.capitalize(), rule, [old.text], [new.text])


def comments(old, new):
    """The comment in effect at a node: its words before the place, and the place in the source."""
    if old.comment == new.comment:
        return
    places = PLACE.match(old.comment), PLACE.match(new.comment)
    if not all(places):
        texts = [re.sub(r"File: .*", "File: …", masked(x.comment)) or "(none)" for x in (old, new)]
        if texts[0] != texts[1]:
            yield Change("Comments", f"{code(texts[0])} → {code(texts[1])}", [old.comment], [new.comment])
        return
    before, after = (x.groupdict() for x in places)
    if masked(before["head"]) != masked(after["head"]):
        rule = f"{code(masked(before['head']) + 'File: …')} → {code(masked(after['head']) + 'File: …')}"
        yield Change("Comments", rule, [old.comment], [new.comment])
    own = [x["file"].rpartition("site-packages/")[2] for x in (before, after)]
    inside = all(x.startswith("torch/") for x in own)
    if inside and own[0] == own[1]:
        if before["function"] != after["function"]:
            yield Change("Comments", "function of PyTorch's own source", [old.comment], [new.comment])
        elif before["code"] != after["code"]:
            yield Change("Comments", "code of PyTorch's own source", [old.comment], [new.comment])
    else:
        for part in ("function", "code"):
            if before[part] != after[part]:
                yield Change("Comments", f"another {part} of the program is named", [old.comment], [new.comment])


def compare(old, new, known):
    """The changes between two texts' graphs, those inside in order, and the new names of the old nodes."""
    found, names = [], {}
    classes = [x.name for x in old], [x.name for x in new]
    if classes[0] != classes[1]:
        rule = replacement(*([re.sub(r"\d+", "N", y) for y in x] for x in classes))
        found.append(Change("Graphs inside", rule, *classes))
    for x, y in zip(old, new):
        comparison = Comparison(x, y, known)
        found += comparison.changes()
        names = names or comparison.names
    return found, names
