"""Which functions of PyTorch's Python sources, and which formulas of its tables, differ between two wheels."""

import ast
import difflib
import glob
import os
import re

SOURCES = (
    "torch/_functorch/**/*.py",
    "torch/fx/experimental/proxy_tensor.py",
    "torch/fx/experimental/symbolic_shapes.py",
    "torch/fx/experimental/_config.py",
    "torch/fx/graph.py",
    "torch/fx/graph_module.py",
    "torch/fx/node.py",
    "torch/_decomp/**/*.py",
    "torch/_refs/**/*.py",
    "torch/_meta_registrations.py",
    "torch/_subclasses/**/*.py",
    "torch/_higher_order_ops/**/*.py",
    "torch/_dynamo/compiled_autograd.py",
    "torch/_dynamo/backends/*.py",
    "torch/utils/_sympy/**/*.py",
    "torch/utils/checkpoint.py",
)
TABLES = ("torchgen/packaged/autograd/derivatives.yaml", "torchgen/packaged/ATen/native/native_functions.yaml")


def without_docstrings(tree):
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            if isinstance(body[0].value.value, str):
                node.body = body[1:] or [ast.Pass()]
    return tree


class WithoutAnnotations(ast.NodeTransformer):
    """A function with other type annotations is the same function."""

    def visit_arg(self, node):
        node.annotation = None
        return node

    def visit_FunctionDef(self, node):
        node.returns = None
        return self.generic_visit(node)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        return ast.copy_location(ast.Assign([node.target], node.value), node) if node.value else node


def functions(path):
    """The lines of each function and class body of a file by its qualified name; the rest is `(module)`."""
    with open(path, encoding="utf-8") as file:
        tree = ast.fix_missing_locations(WithoutAnnotations().visit(without_docstrings(ast.parse(file.read()))))
    found = {}

    def collect(body, prefix):
        rest = []
        for node in body:
            if isinstance(node, ast.ClassDef):
                collect(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(prefix + node.name, []).extend(ast.unparse(node).split("\n"))
            elif not isinstance(node, (ast.Import, ast.ImportFrom)):
                rest.extend(ast.unparse(node).split("\n"))
        if rest:
            found[prefix + "(body)" if prefix else "(module)"] = rest

    collect(tree.body, "")
    return found


def size(old, new):
    """Lines removed and added."""
    lines = list(difflib.unified_diff(old, new, lineterm="", n=0))[2:]
    return sum(x.startswith("-") for x in lines), sum(x.startswith("+") for x in lines)


def files(root):
    return {os.path.relpath(x, root) for pattern in SOURCES for x in glob.glob(os.path.join(root, pattern), recursive=True)}


def changed_sources(old_root, new_root):
    """Rows (file, function, removed, added), and the files there are in one wheel alone."""
    old, new = files(old_root), files(new_root)
    rows = []
    for name in sorted(old & new):
        before, after = functions(os.path.join(old_root, name)), functions(os.path.join(new_root, name))
        for function in sorted(before.keys() | after.keys()):
            removed, added = size(before.get(function, []), after.get(function, []))
            if removed or added:
                rows.append((name, function, removed, added, function in before, function in after))
    return rows, sorted(old - new), sorted(new - old)


def of_cpu(line):
    """A line of a dispatch table without the keys of other devices; nothing if none is left."""
    keys, colon, kernel = line.strip().partition(": ")
    if not line.startswith("    ") or not colon:
        return line.rstrip()
    kept = [key for key in keys.split(", ") if key.startswith(("CPU", "Composite", "Meta", "Zero"))]
    return f"    {', '.join(kept)}: {kernel}" if kept else ""


def write_changes(old_root, new_root, folder):
    """The changed functions' texts, a .diff for each file."""
    for name in sorted(files(old_root) & files(new_root)):
        before, after = functions(os.path.join(old_root, name)), functions(os.path.join(new_root, name))
        lines = []
        for function in sorted(before.keys() | after.keys()):
            lines += difflib.unified_diff(before.get(function, []), after.get(function, []), function, function, lineterm="", n=4)
        if lines:
            with open(os.path.join(folder, name.replace("/", ".") + ".diff"), "w") as file:
                file.write("\n".join(lines) + "\n")


def blocks(path, key):
    """The entries of a yaml table by the text behind `- name:` or `- func:`."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"^\s*#.*\n", "", file.read(), flags=re.MULTILINE)
    entries = re.split(rf"^- {key}: ", text, flags=re.MULTILINE)[1:]
    lines = {x.split("\n")[0].split("(")[0]: [of_cpu(y) for y in x.strip().split("\n")] for x in entries}
    return {name: [x for x in entry if x and x != "  dispatch:"] for name, entry in lines.items()}


def changed_tables(old_root, new_root):
    for table in TABLES:
        key = "name" if "derivatives" in table else "func"
        old, new = (blocks(os.path.join(root, table), key) for root in (old_root, new_root))
        changed = {x: list(difflib.unified_diff(old[x], new[x], lineterm="", n=0))[2:] for x in old if new.get(x, old[x]) != old[x]}
        yield table, sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys()), changed
