#!/usr/bin/env python3
"""Writes decomposition_lists.txt: the operators that PyTorch's decomposition tables name, release by release.

Reads the Python sources of torch wheels without importing them:
    python resources/make_decomposition_lists.py 2.11=~/.cache/aotscope/libtorch-2.11.0/torch \\
        2.15=~/.cache/aotscope/libtorch-2.15.0/torch > resources/decomposition_lists.txt
"aten::addcmul.*" stands for every overload of the operator, "aten::sum" for the one without a name. A name that not all
of the releases list is followed by those that do.
"""

import ast
import pathlib
import sys

wheel = pathlib.Path()


def parse(path):
    return ast.parse((wheel / path).read_text())


def operator_name(node):
    """"addmm" or "addmm.out" for aten.addmm, torch.ops.aten.addmm.out; None for anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.insert(0, node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.insert(0, node.id)
    if "aten" not in parts:
        return None
    return ".".join(parts[parts.index("aten") + 1 :])


def names_in(node):
    found = [operator_name(node)] if isinstance(node, ast.Attribute) else []
    if isinstance(node, (ast.List, ast.Tuple)):
        found = [operator_name(item) for item in node.elts]
    return [name for name in found if name]


def registered(path):
    """Names whose decomposition a file registers."""
    names = set()
    for node in ast.walk(parse(path)):
        if isinstance(node, ast.Call):
            function = ast.unparse(node.func).split(".")[-1]
            if function in ("register_decomposition", "register_inplace", "register_extra_random_decomp") and node.args:
                names.update(names_in(node.args[0]))
            elif function == "_make_copy_from_view" and isinstance(node.args[0], ast.Attribute):
                names.add(operator_name(node.args[0]) + "_copy")
            elif function == "_make_inplace" and isinstance(node.args[0], ast.Name):
                names.add(node.args[0].id + "_")
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and "_make_elementwise" in ast.unparse(decorator.func):
                    op = next((k.value for k in decorator.keywords if k.arg == "aten_op"), None)
                    name = operator_name(op) if op is not None else node.name
                    names.update([name] if name else [])
    return names


def listed(tree, function_or_variable):
    """Names in the first list of a function's body, or of an assignment."""
    for node in ast.walk(tree):
        is_function = isinstance(node, ast.FunctionDef) and node.name == function_or_variable
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        is_variable = isinstance(node, (ast.Assign, ast.AnnAssign)) and any(
            isinstance(target, ast.Name) and target.id == function_or_variable for target in targets
        )
        if is_function or is_variable:
            for inner in ast.walk(node):
                if isinstance(inner, ast.List):
                    return set(names_in(inner))
    raise SystemExit(f"{function_or_variable} is not where it was")


def lists_of_wheel():
    """"core aten::addmm.*" and the like, for both tables."""
    known = set()
    for file in ["_decomp/decompositions.py", "_refs/__init__.py", "_refs/nn/functional/__init__.py",
                 "_refs/special/__init__.py", "_refs/linalg/__init__.py", "_refs/fft.py", "_refs/_conversions.py"]:
        known |= registered(file)

    def has_decomposition(name):
        packet = name.split(".")[0]
        return any(entry == name or entry == packet or (name == packet and entry.startswith(packet + ".")) for entry in known)

    core = {name for name in listed(parse("_decomp/__init__.py"), "_core_aten_decompositions_post_autograd") if has_decomposition(name)}
    tree = parse("_inductor/decomposition.py")
    own = registered("_inductor/decomposition.py")
    excluded = listed(tree, "decomps_to_exclude")
    random = listed(parse("_decomp/decompositions_for_rng.py"), "extra_random_decomps") | {"bernoulli_", "bernoulli.p"}
    inductor = {name for name in core | listed(tree, "inductor_decompositions") if has_decomposition(name)}
    inductor = {name for name in inductor if name not in excluded and name.split(".")[0] not in excluded}
    found = set()
    for table, names in (("core", core), ("inductor", inductor | own | random)):
        spelled = {name.removesuffix(".default") if "." in name else name + ".*" for name in names}
        found.update(f"{table} aten::{name}" for name in spelled)
    return found


releases = {}
for argument in sys.argv[1:]:
    release, _, path = argument.partition("=")
    wheel = pathlib.Path(path).expanduser()
    releases[release] = lists_of_wheel()
for name in sorted(set().union(*releases.values())):
    listing = [release for release, names in releases.items() if name in names]
    print(name if len(listing) == len(releases) else " ".join([name, *listing]))
