"""Lists the names of PyTorch's Python interface that the coverage table is measured against.

usage: make_function_names.py WHEEL/torch > function_names.txt
Reads the stubs and sources of the wheel; imports nothing of it.
"""
import ast
import pathlib
import sys

torch = pathlib.Path(sys.argv[1])


def tree(path):
    return ast.parse((torch / path).read_text())


def functions_of_class(module, name):
    for node in ast.walk(module):
        if isinstance(node, ast.ClassDef) and node.name == name:
            return {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
    return set()


def functional():
    """Functions of torch.nn.functional: its definitions, and the names it gives to others."""
    names = set()
    for node in tree("nn/functional.py").body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = node.value
            while isinstance(value, ast.Call) and value.args and ast.unparse(value.func) == "_add_docstr":
                value = value.args[0]
            text = ast.unparse(value)
            if text.startswith(("torch.", "_VF.", "boolean_dispatch", "_threshold")):
                names.add(node.targets[0].id)
    helpers = {"assert_int_or_pair"}
    return {name for name in names if not name.startswith("_") and not name.endswith("_with_indices")} - helpers


def exported(path):
    """The names a module lists in __all__."""
    for node in tree(path).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def public(names):
    return {name for name in names if not name.startswith("__")}


methods = functions_of_class(tree("_C/__init__.pyi"), "TensorBase") | functions_of_class(tree("_tensor.py"), "Tensor")
variables = {node.name for node in tree("_C/_VariableFunctions.pyi").body if isinstance(node, ast.FunctionDef)}
groups = [
    ("torch.nn.functional.", functional()),
    ("Tensor.", public(methods)),
    ("torch.", public(variables) | exported("functional.py")),
    ("torch.fft.", exported("fft/__init__.py") - {"Tensor"}),
    ("torch.linalg.", {name for name in exported("linalg/__init__.py") if name[0].islower()}
     or {node.targets[0].id for node in tree("linalg/__init__.py").body
         if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id[0].islower()}),
    ("torch.special.", exported("special/__init__.py")),
]
for prefix, names in groups:
    for name in sorted(names):
        print(prefix + name)
