#include "cache/cacheable.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"

#include "base/text_search.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace aotscope::cache {

namespace {

std::set<std::string_view> listedFunctions() {
    std::set<std::string_view> names;
    std::string_view rest = detail::cacheableFunctions();
    while (!rest.empty()) {
        names.insert(base::takePart(rest, '\n'));
    }
    return names;
}

/// Whether a call of this target is cacheable, higher-order operators aside.
bool isCacheableTarget(std::string_view target, const std::set<std::string_view>& listed) {
    if (listed.contains(target)) {
        return true;
    }
    const std::size_t dot = target.rfind('.');
    if (dot == std::string_view::npos) {
        return true; // Python's own: getattr, len.
    }
    const std::string_view module = target.substr(0, dot);
    const bool isPrivate = target.substr(dot + 1).starts_with('_');
    if (!target.starts_with("torch.")) {
        // Modules of Python, in C; else the name of an operator, whose "torch.ops." is left out.
        return !target.starts_with("einops.") && !target.starts_with("numpy.") && !target.starts_with("__");
    }
    // Functions in C, which belong to torch itself whatever module gives them a name.
    constexpr std::array<std::string_view, 5> builtin = {"torch", "torch.fft", "torch.linalg",
                                                         "torch.special", "torch.sparse"};
    return module.starts_with("torch._C") || std::ranges::find(builtin, module) != builtin.end() ||
           ((module == "torch.functional" || module == "torch.nn.functional") && !isPrivate);
}

/// A key that the JSON of a node has beside the usual ones, as JSON text; empty: none.
std::string_view extraOf(const ir::Node& node, std::string_view name) {
    const auto found = std::ranges::find_if(node.extra, [&](const auto& each) { return each.first == name; });
    return found == node.extra.end() ? std::string_view() : found->second;
}

/// Whether the graph tells the values of its calls at all: otherwise a missing one says nothing.
bool tellsValues(const ir::Graph& graph) {
    const auto order = graph.order();
    return std::any_of(order.begin(), order.end(), [&](ir::NodeId id) {
        const ir::Node& node = graph.node(id);
        return node.op == ir::Opcode::CallFunction && !std::holds_alternative<std::monostate>(node.value);
    });
}

class GraphCheck {
public:
    explicit GraphCheck(const ir::Graph& graph) : m_graph(graph), m_tellsValues(tellsValues(graph)) {}

    /// The reason of the first node that forbids it; empty: none does.
    [[nodiscard]] std::string reason(const std::set<std::string_view>& listed) const {
        for (const ir::NodeId id : m_graph.order()) {
            const ir::Node& node = m_graph.node(id);
            std::string why;
            if (node.op == ir::Opcode::CallFunction) {
                why = ofFunction(node, listed);
            } else if (node.op == ir::Opcode::CallMethod) {
                why = ofMethod(node);
            }
            if (!why.empty()) {
                return why;
            }
        }
        return {};
    }

private:
    [[nodiscard]] static std::string ofFunction(const ir::Node& node,
                                                const std::set<std::string_view>& listed) {
        const bool isWrapped = extraOf(node, "is_wrapped") == "true";
        const std::string_view hash = extraOf(node, "user_cache_hash");
        if (isWrapped && !hash.empty() && hash != "null" && hash != "\"\"") {
            return {};
        }
        if (isWrapped) {
            return "the wrapped function " + node.target + " (node " + node.name +
                   ") has no user_cache_hash: its code is not in the key";
        }
        // Every graph module inside is looked at for these, so the callers do.
        if (ir::isHigherOrder(node.target) || isCacheableTarget(node.target, listed)) {
            return {};
        }
        return "unsupported call_function target " + node.target + " (node " + node.name +
               "): its code is not in the key";
    }

    [[nodiscard]] std::string ofMethod(const ir::Node& node) const {
        const ir::NodeId* receiver = node.args.empty() ? nullptr : node.args.front().as<ir::NodeId>();
        const bool isKnown = receiver != nullptr && receiver->valid() &&
                             !std::holds_alternative<std::monostate>(m_graph.node(*receiver).value);
        if (isKnown || !m_tellsValues) {
            return {};
        }
        return "unsupported call_method '" + node.target + "' (node " + node.name +
               "): its receiver has no example value, so it is not known to be a tensor";
    }

    const ir::Graph& m_graph;
    bool m_tellsValues = false;
};

std::string higherOrderReason(const ir::Graph& graph) {
    std::string reason;
    const auto forbids = [&reason](const ir::Graph& each) {
        return std::ranges::any_of(each.order(), [&](ir::NodeId id) {
            const ir::Node& node = each.node(id);
            if (node.op != ir::Opcode::CallFunction || !ir::isHigherOrder(node.target)) {
                return false;
            }
            const ir::HigherOrderOperator* known = ir::tryHigherOrder(node.target);
            if (known != nullptr && known->isCacheable) {
                return false;
            }
            reason =
                "the higher-order operator " + node.target + " (node " + node.name + ") is not cacheable";
            return true;
        });
    };
    return forbids(graph) || ir::anyBody(graph, forbids) ? reason : std::string();
}

std::string graphReason(const ir::Graph& graph, const std::set<std::string_view>& listed) {
    std::string why = GraphCheck(graph).reason(listed);
    return why.empty() ? higherOrderReason(graph) : why;
}

std::string requestReason(const aot::RetraceRequest& request) {
    if (request.export_) {
        return "an exported graph: PyTorch's export does not use the cache either";
    }
    if (request.stages) {
        return "the request wants the graphs of the stages, which no entry holds";
    }
    if (request.numbers) {
        return "the request wants numbers, which no entry holds";
    }
    return {};
}

} // namespace

std::string bypassReason(const aot::RetraceRequest& request, const CompileEnvironment& environment) {
    if (std::string why = requestReason(request); !why.empty()) {
        return why;
    }
    static const std::set<std::string_view> listed = listedFunctions();
    if (std::string why = graphReason(*request.program, listed); !why.empty()) {
        return why;
    }
    // Dynamo keeps hooks as subgraphs that nothing in the graph uses.
    std::vector<aot::SavedTensorsHooks> hooks = environment.hooks;
    if (auto recorded = aot::hooksOf(*request.program)) {
        hooks.push_back(*std::move(recorded));
    }
    for (const aot::SavedTensorsHooks& pair : hooks) {
        for (const ir::GraphPtr& hook : {pair.pack, pair.unpack}) {
            if (std::string why = hook ? graphReason(*hook, listed) : std::string(); !why.empty()) {
                return "saved-tensors hook: " + why;
            }
        }
    }
    return {};
}

} // namespace aotscope::cache
