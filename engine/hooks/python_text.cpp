#include "hooks/python_text.h"

#include "hooks/hook_text.h"

#include "base/text_search.h"
#include "ir/text/printer.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

namespace aotscope::hooks {
namespace {

/// The hook's name as a part of a Python name.
std::string identifier(std::string_view name) {
    std::string text;
    for (const char c : name) {
        text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    }
    return text;
}

std::string pythonString(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += c == '\n' ? ' ' : c;
    }
    return out + "\"";
}

/// A function with the statements that PyTorch's printer gives a graph: they are Python.
std::string functionText(const std::string& name, const ir::Graph& graph) {
    const std::string printed = ir::printGraph(graph).text;
    std::string text = "def " + name + "(";
    for (const ir::NodeId input : graph.placeholders()) {
        text += (text.back() == '(' ? "" : ", ") + graph.node(input).target;
    }
    text += "):\n";
    bool isInside = false;
    for (std::string_view rest = printed; !rest.empty();) {
        const std::string_view line = base::takePart(rest, '\n');
        const std::size_t first = line.find_first_not_of(' ');
        const std::string_view content =
            first == std::string_view::npos ? std::string_view() : line.substr(first);
        if (!isInside) {
            isInside = content.ends_with("):") && (content.starts_with("def forward") || content == "):");
        } else if (!content.empty() && content.front() != '#') {
            // Statements stand two levels deep, in a method of a class.
            text += "    " + std::string(line.substr(std::min<std::size_t>(first, 8))) + "\n";
        }
    }
    return text + "\n\n";
}

std::optional<aot::SavedTensorsHooks> graphsOf(const PythonHooks& hooks, const std::string& name) {
    if (name == loggedHook) {
        return hooks.logged;
    }
    const auto text = hooks.plan.tryText(name);
    const auto read = text ? std::optional(readHookText(*text)) : std::nullopt;
    return read && read->ok() ? std::optional(read->value().graphs) : std::nullopt;
}

constexpr std::string_view head = R"(# Saved-tensors hooks for torch.compile, written by aotscope.
#
#     with saved_tensors_hooks():
#         loss = compiled(x).sum()
#     loss.backward()
#
# The names in HOOK_OF are those of the nodes that the forward graph saves. They are known while
# AOTAutograd traces the hooks; a tensor that eager code saves is not packed.
import torch
from torch._functorch._aot_autograd.graph_compile import _get_saved_tensor_hook_context


)";

constexpr std::string_view tail = R"(
@torch.fx.wrap
def pack_chosen(x):
    context = _get_saved_tensor_hook_context()
    hook = HOOK_OF.get(context["_node"].name) if context else None
    return (x, None) if hook is None else (HOOKS[hook][0](x), hook)


@torch.fx.wrap
def unpack_chosen(packed):
    value, hook = packed
    return value if hook is None else HOOKS[hook][1](value)


def pack(x):
    return pack_chosen(x)


def unpack(packed):
    return unpack_chosen(packed)


class saved_tensors_hooks(torch.autograd.graph.saved_tensors_hooks):
    def __init__(self):
        super().__init__(torch.fx.symbolic_trace(pack), torch.fx.symbolic_trace(unpack))
        self._mode = torch._functorch.config.patch(saved_tensors_hooks_filtering_mode=MODE)

    def __enter__(self):
        self._mode.__enter__()
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self._mode.__exit__(*error)
)";

} // namespace

std::string pythonText(const PythonHooks& hooks) {
    std::set<std::string> used;
    for (const auto& [saved, hook] : hooks.hookOf) {
        used.insert(hook);
    }
    std::string text(head);
    std::string table = "HOOKS = {\n";
    std::string left;
    for (const std::string& name : used) {
        const auto graphs = graphsOf(hooks, name);
        if (!graphs) {
            left += "# The hook " + name + " has no text: its tensors are saved as they are.\n";
            continue;
        }
        const std::string part = identifier(name);
        text += functionText("pack_" + part, *graphs->pack) + functionText("unpack_" + part, *graphs->unpack);
        table += "    " + pythonString(name) + ": (pack_" + part + ", unpack_" + part + "),\n";
    }
    text += left + table + "}\nHOOK_OF = {\n";
    for (const auto& [saved, hook] : hooks.hookOf) {
        if (graphsOf(hooks, hook)) {
            text += "    " + pythonString(saved) + ": " + pythonString(hook) + ",\n";
        }
    }
    text += "}\nMODE = " + pythonString(base::wordOf(hooks.filter)) + "\n\n";
    return text + std::string(tail);
}

} // namespace aotscope::hooks
