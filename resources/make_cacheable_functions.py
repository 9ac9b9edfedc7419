"""Lists the Python functions whose calls AOTAutograd's cache accepts in a graph besides builtins and operators.

usage: make_cacheable_functions.py WHEEL/torch > cacheable_functions.txt
Reads the sources of the wheel; imports nothing of it.
"""
import ast
import pathlib
import sys

torch = pathlib.Path(sys.argv[1])


def texts_of(path, *assigned):
    """The strings in what the names are assigned."""
    names = set()
    for node in ast.walk(ast.parse((torch / path).read_text())):
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id in assigned for target in targets):
                names |= {
                    inner.value
                    for inner in ast.walk(node.value)
                    if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
                }
    return names


functions = texts_of("_dynamo/trace_rules.py", "torch_non_c_binding_in_graph_functions")
functions |= texts_of(
    "_functorch/_aot_autograd/autograd_cache.py", "SAFE_TORCH_FUNCTIONS", "SAFE_NON_TORCH_FUNCTIONS"
)
print("\n".join(sorted(name for name in functions if "." in name)))
