"""Reads the text of a printed graph: its inputs, nodes and results, each with its type and comment."""

import dataclasses
import re

INPUT = re.compile(r'^\s*(\w+)(?:: "([^"]*)")?,?(?:\s*#\s*(.*))?$')
NODE = re.compile(r'^\s*([\w.]+)(?:: "([^"]*)")? = (.+)$')
RESULT = re.compile(r"^\s*(.+?),\s*(?:#\s*(.*))?$")
FREED = re.compile(r";  [\w =]+ = None$")
CALL = re.compile(r"^([A-Za-z_][\w.]*)\((.*)\)$")
OPERAND = re.compile(r"[A-Za-z_]\w*|\d[\w.]*(?:e[+-]\d+)?")
UNPACKED = " = fx_pytree.tree_flatten_spec("


@dataclasses.dataclass
class Line:
    name: str
    type: str
    target: str = ""
    arguments: str = ""
    comment: str = ""  # above a node; behind an input or result
    text: str = ""


@dataclasses.dataclass
class Graph:
    """One class of the text; a graph with graphs inside has several."""

    name: str
    inputs: list = dataclasses.field(default_factory=list)
    nodes: list = dataclasses.field(default_factory=list)
    results: list = dataclasses.field(default_factory=list)


def target_and_arguments(value, names):
    """What a node calls, and the text of its arguments; `x.mul(y)` calls `.mul`, of an expression the operators are told."""
    called = CALL.match(value)
    if called:
        owner, _, method = called.group(1).partition(".")
        if owner in names:
            return "." + method, f"{owner}, {called.group(2)}"
        return called.group(1).removeprefix("torch.ops."), called.group(2)
    if value.startswith("self."):
        return "get_attr", value
    if re.fullmatch(r"\w+\[.+\]", value):
        return "getitem", value.replace("[", ", ", 1).removesuffix("]")
    if re.fullmatch(r"\w+\.[A-Za-z]\w*", value):
        return "getattr " + value.partition(".")[2], value.partition(".")[0]
    if re.fullmatch(r"\w+", value):
        return "alias", value
    return "expression " + OPERAND.sub("%", value), ", ".join(OPERAND.findall(value))


def one_line_inputs(text):
    """The inputs of a `def forward(self, x: "f32[2]", y):` in one line."""
    for name, type_ in re.findall(r'(\w+)(?:: "([^"]*)")?(?:, |$)', text):
        yield Line(name, type_, text=name)


class Reader:
    def __init__(self):
        self.graphs, self.open = [], []  # open: (indent, graph) of the classes around this line
        self.state, self.comment, self.names = "body", "", set()

    @property
    def graph(self):
        return self.open[-1][1]

    def line(self, line):
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if text.startswith("class "):
            while self.open and self.open[-1][0] >= indent:
                self.open.pop()
            self.graphs.append(Graph(text[6:].split("(")[0]))
            self.open.append((indent, self.graphs[-1]))
            self.state, self.comment = "body", ""
        elif not self.open or not text:
            return
        elif self.state == "body":
            self.body(text)
        elif text[0] in ")]":
            self.state = "body"
        elif self.state == "inputs":
            self.add(self.graph.inputs, INPUT, line)
        else:
            self.add(self.graph.results, RESULT, line)

    def add(self, rows, pattern, line):
        matched = pattern.match(line)
        if matched and matched.group(1) not in ("self", "primals", "tangents"):
            name, *type_, comment = matched.groups()
            self.names.add(name)
            rows.append(Line(name, "".join(filter(None, type_)), comment=comment or "", text=line.strip()))

    def body(self, text):
        if text.startswith("def forward("):
            if text == "def forward(":
                self.state = "inputs"
            else:
                inside = text[len("def forward(") : text.rindex(")")]
                self.graph.inputs.extend(x for x in one_line_inputs(inside) if x.name != "self")
                self.names |= {x.name for x in self.graph.inputs}
        elif text.startswith("#"):
            self.comment = text
        elif text.startswith("return"):
            self.results(text)
        elif UNPACKED in text:
            pass
        else:
            self.node(text)

    def results(self, text):
        if text.endswith(("(", "[")):
            self.state = "results"
            return
        for name in re.split(r",\s*", text[len("return") :].strip().strip("()[]")):
            if name:
                self.graph.results.append(Line(name, "", text=name))

    def node(self, text):
        matched = NODE.match(FREED.sub("", text))
        if matched:
            target, arguments = target_and_arguments(matched.group(3), self.names)
            self.names.add(matched.group(1))
            self.graph.nodes.append(Line(matched.group(1), matched.group(2) or "", target, arguments, self.comment, text))
        else:
            # A joint graph lists its inputs in the body: `primals_1: "f32[2]"  # PlainAOTInput(idx=0)`.
            self.add(self.graph.inputs, INPUT, text)


def graphs(text):
    reader = Reader()
    for line in text.split("\n"):
        reader.line(line)
    return reader.graphs
