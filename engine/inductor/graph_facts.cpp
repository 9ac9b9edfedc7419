#include "inductor/graph_facts.h"

#include "inductor/code_text.h"
#include "ir/map_nodes.h"
#include "ir/op_schema.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"
#include "ir/storages.h"

#include "base/numbers.h"
#include "base/trimmed.h"

#include <algorithm>
#include <unordered_map>

namespace aotscope::inductor {

namespace {

bool mutates(const std::string& target) {
    const auto schema = ir::trySchema(target);
    return schema && std::ranges::any_of(schema->arguments, &ir::SchemaArgument::isMutated);
}

void multiply(ElementCount& count, std::string_view size) {
    if (const auto number = base::wholeNumber<std::int64_t>(size)) {
        count.integers =
            *number > 0 && count.integers > INT64_MAX / *number ? INT64_MAX : count.integers * *number;
    } else {
        count.symbols.emplace_back(size);
    }
}

/// "aten.sort.stable" of the several forms; of "extern_kernels.mm" only "mm".
std::string_view withoutNamespace(std::string_view callee) {
    for (const std::string_view start : {"torch.ops.", "extern_kernels."}) {
        if (callee.starts_with(start)) {
            callee.remove_prefix(start.size());
        }
    }
    return callee;
}

/// "mm" of "aoti_torch_cpu_mm_out"; nothing: it is no such function.
std::optional<std::string> shimOperator(std::string_view callee) {
    constexpr std::string_view start = "aoti_torch_";
    if (!callee.starts_with(start)) {
        return std::nullopt;
    }
    callee.remove_prefix(start.size());
    for (const std::string_view device : {"cpu_", "cuda_", "xpu_", "mps_"}) {
        if (callee.starts_with(device)) {
            callee.remove_prefix(device.size());
            break;
        }
    }
    if (callee.ends_with("_out")) {
        callee.remove_suffix(4);
    }
    return std::string(callee);
}

} // namespace

ElementCount countOf(std::string_view shape) {
    ElementCount count;
    shape = base::trimmed(shape);
    if (shape.starts_with('(') || shape.starts_with('[')) {
        shape = shape.substr(1, shape.size() < 2 ? 0 : shape.size() - 2);
    }
    for (const std::string_view size : splitItems(shape)) {
        multiply(count, size);
    }
    std::ranges::sort(count.symbols);
    return count;
}

ElementCount countOf(const ir::TensorMeta& tensor) {
    ElementCount count;
    for (const ir::SymInt& size : tensor.shape) {
        multiply(count, size.text());
    }
    std::ranges::sort(count.symbols);
    return count;
}

GraphFacts::GraphFacts(ir::GraphPtr graph)
    : m_graph(std::move(graph)), m_roots(m_graph->idBound()), m_views(m_graph->idBound()) {
    const ir::Storages storages = ir::deriveStorages(*m_graph);
    std::unordered_map<std::string, bool> known;
    for (const ir::NodeId id : m_graph->order()) {
        const ir::Node& node = m_graph->node(id);
        m_roots[id.index()] = id;
        if (node.op == ir::Opcode::Output) {
            const ir::Arguments* items = node.args.empty() ? nullptr : ir::itemsOf(node.args[0]);
            for (const ir::Argument& item : items != nullptr ? *items : ir::Arguments()) {
                const ir::NodeId* value = item.as<ir::NodeId>();
                m_returned.push_back(value == nullptr ? std::nullopt : std::optional(*value));
            }
        }
        if (node.op != ir::Opcode::CallFunction) {
            continue;
        }
        const auto [entry, isNew] = known.emplace(node.target, false);
        if (isNew) {
            entry->second = mutates(node.target);
        }
        const std::uint32_t storage = storages.ofNode[id.index()];
        for (const ir::NodeId input : m_graph->inputs(id)) {
            if (!entry->second && storage != ir::noStorage && storages.ofNode[input.index()] == storage) {
                m_roots[id.index()] = m_roots[input.index()];
                m_views[id.index()] = true;
                break;
            }
        }
    }
}

bool GraphFacts::isElement(ir::NodeId node) const {
    return m_graph->node(node).target == "_operator.getitem" && !m_views[node.index()];
}

std::optional<ir::NodeId> GraphFacts::elementOf(ir::NodeId node) const {
    const ir::Node& call = m_graph->node(node);
    const auto* whole = call.target == "_operator.getitem" ? call.tryArg<ir::NodeId>(0) : nullptr;
    return whole == nullptr ? std::nullopt : std::optional(*whole);
}

bool GraphFacts::isSize(ir::NodeId node) const {
    return std::holds_alternative<ir::SymbolicMeta>(m_graph->node(node).value) ||
           operatorName(m_graph->node(node).target).starts_with("sym_");
}

bool GraphFacts::reduces(ir::NodeId node) const {
    const ir::TensorMeta* result = ir::asTensor(m_graph->node(node).value);
    const auto inputs = m_graph->inputs(node);
    return result != nullptr && !m_views[node.index()] && std::ranges::any_of(inputs, [&](ir::NodeId input) {
               const ir::TensorMeta* read = ir::asTensor(m_graph->node(input).value);
               const ElementCount many = read == nullptr ? ElementCount() : countOf(*read);
               const ElementCount few = countOf(*result);
               return many.integers > few.integers || many.symbols.size() > few.symbols.size();
           });
}

std::vector<ir::NodeId> GraphFacts::tensorInputs(ir::NodeId node) const {
    std::vector<ir::NodeId> inputs;
    const ir::Node& call = m_graph->node(node);
    const auto add = [&](ir::NodeId input) {
        if (!isSize(input)) {
            inputs.push_back(input);
        }
    };
    ir::forEachNode(call, add);
    if (operatorName(call.target) == "copy_" && inputs.size() > 1) {
        inputs.erase(inputs.begin());
    }
    return inputs;
}

std::string_view operatorName(std::string_view target) {
    return ir::splitTarget(withoutNamespace(target)).name;
}

bool callsOperator(std::string_view callee, std::string_view target) {
    if (callee.ends_with(".copy_")) {
        callee = "copy_";
    }
    const std::string_view name = operatorName(target);
    if (const std::optional<std::string> shim = shimOperator(callee)) {
        // "sort_stable": the overload follows the name.
        return *shim == name || shim->starts_with(std::string(name) + "_");
    }
    const std::string_view plain = withoutNamespace(callee);
    if (plain == target) {
        return true;
    }
    const bool isOwn = callee.starts_with("extern_kernels.") || callee == "copy_" ||
                       callee.ends_with("_out") || callee.ends_with(".out");
    const std::string_view called = operatorName(callee);
    if (called == name && (isOwn || ir::splitTarget(plain).space == ir::splitTarget(target).space)) {
        return true;
    }
    const std::string_view other = ir::Operator(target)->inductorName;
    return !other.empty() && other == called;
}

} // namespace aotscope::inductor
