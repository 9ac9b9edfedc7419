#include "aot/hook_programs.h"

#include "ir/map_nodes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace aotscope::aot {
namespace {

using Part = PackProgram::Part;

/// The argument with `changed(leaf)` in place of each leaf of its containers.
template<typename Change>
ir::Argument mapLeaves(const ir::Argument& argument, const Change& changed) {
    const auto mapItems = [&](const ir::Arguments& items) {
        ir::Arguments mapped;
        for (const ir::Argument& item : items) {
            mapped.push_back(mapLeaves(item, changed));
        }
        return mapped;
    };
    if (const auto* list = argument.as<ir::ListArgument>()) {
        return ir::ListArgument{mapItems(list->items)};
    }
    if (const auto* tuple = argument.as<ir::TupleArgument>()) {
        return ir::TupleArgument{mapItems(tuple->items)};
    }
    if (const auto* dict = argument.as<std::shared_ptr<const ir::DictArgument>>()) {
        auto mapped = std::make_shared<ir::DictArgument>();
        for (const auto& [key, item] : (*dict)->items) {
            mapped->items.emplace_back(key, mapLeaves(item, changed));
        }
        return std::shared_ptr<const ir::DictArgument>(std::move(mapped));
    }
    return changed(argument);
}

/// What a graph returns.
ir::Argument returnedBy(const ir::Graph& graph) {
    const auto output = graph.output();
    return output && !graph.node(*output).args.empty() ? graph.node(*output).args[0] : ir::Argument();
}

/// `x.dtype` and `x.device`: the node whose part it is.
struct PartOf {
    Part part = Part::Value;
    ir::NodeId node;
};

PartOf partOf(const ir::Graph& hook, ir::NodeId id) {
    const ir::Node& node = hook.node(id);
    const auto* name = node.args.size() == 2 ? node.args[1].as<std::string>() : nullptr;
    const auto* owner = node.args.empty() ? nullptr : node.args[0].as<ir::NodeId>();
    if (node.target == "getattr" && name != nullptr && owner != nullptr) {
        if (*name == "dtype") {
            return {Part::DType, *owner};
        }
        if (*name == "device") {
            return {Part::Device, *owner};
        }
    }
    return {Part::Value, id};
}

/// `x.size()` and `x.shape`, whole.
bool isWholeSize(const ir::Node& node) {
    const auto* name = node.args.size() == 2 ? node.args[1].as<std::string>() : nullptr;
    return (node.op == ir::Opcode::CallMethod && node.target == "size" && node.args.size() == 1) ||
           (node.target == "getattr" && name != nullptr && *name == "shape");
}

/// The number of dimensions of the hook's input if the node is its whole size.
std::optional<std::size_t> sizeOfInput(const ir::Graph& hook, ir::NodeId id, const ir::ValueMeta& tensor) {
    const ir::Node& node = hook.node(id);
    const ir::TensorMeta* meta = ir::asTensor(tensor);
    if (meta == nullptr || !isWholeSize(node)) {
        return std::nullopt;
    }
    const auto* owner = node.args[0].as<ir::NodeId>();
    const bool isInput = owner != nullptr && hook.node(*owner).op == ir::Opcode::Placeholder;
    return isInput ? std::optional(meta->shape.size()) : std::nullopt;
}

/// Adds `size[dimension]` at the end of a program.
ir::NodeId addElement(ir::Graph& program, ir::NodeId size, std::size_t dimension) {
    ir::Node node;
    node.name = program.node(size).name + "_" + std::to_string(dimension);
    node.target = "_operator.getitem";
    node.args = {size, static_cast<std::int64_t>(dimension)};
    const ir::NodeId id = program.append(std::move(node));
    program.moveBefore(id, *program.output());
    return id;
}

/// Erases what nothing uses any more: a tensor that was traced for its dtype alone.
void eraseUnused(ir::Graph& graph) {
    std::vector<bool> used(graph.idBound(), false);
    std::vector<bool> unused(graph.idBound(), false);
    const std::vector<ir::NodeId> order(graph.order().begin(), graph.order().end());
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
        const ir::Node& node = graph.node(*id);
        if (node.op == ir::Opcode::CallFunction && !used[id->index()]) {
            unused[id->index()] = true;
            continue;
        }
        const auto use = [&](ir::NodeId input) { used[input.index()] = true; };
        for (const ir::Argument& argument : node.args) {
            forEachNode(argument, use);
        }
        for (const ir::KeywordArgument& keyword : node.kwargs) {
            forEachNode(keyword.value, use);
        }
    }
    graph.erase(unused);
}

base::Error unsupported(const ir::Node& node, const std::string& what) {
    base::Error error{.code = "hooks.unsupported",
                      .message = "The unpack hook's node " + node.name + " " + what,
                      .hint = "Take each packed value apart by its index."};
    error.place.node = node.name;
    return error;
}

/// The element of a container; nothing if it is none or has no such element.
std::optional<ir::Argument> elementOf(const ir::Argument& container, const ir::Argument& key) {
    const auto* list = container.as<ir::ListArgument>();
    const auto* tuple = container.as<ir::TupleArgument>();
    if (list != nullptr || tuple != nullptr) {
        const ir::Arguments& items = list != nullptr ? list->items : tuple->items;
        const auto* index = key.as<std::int64_t>();
        const auto size = static_cast<std::int64_t>(items.size());
        if (index == nullptr || *index < -size || *index >= size) {
            return std::nullopt;
        }
        return items[static_cast<std::size_t>(*index < 0 ? *index + size : *index)];
    }
    if (const auto* dict = container.as<std::shared_ptr<const ir::DictArgument>>()) {
        const auto found =
            std::ranges::find_if((*dict)->items, [&](const auto& entry) { return entry.first == key; });
        return found == (*dict)->items.end() ? std::nullopt : std::optional(found->second);
    }
    return std::nullopt;
}

/// The unpack hook with the packed values written into it.
class Unpacking {
public:
    Unpacking(const ir::Graph& hook, const ir::Graph& packed) : m_hook(hook), m_values(hook.idBound()) {
        m_made.editSymbolHints() = packed.symbolHints();
        m_packed = mapLeaves(returnedBy(packed), [&](const ir::Argument& leaf) -> ir::Argument {
            const auto* node = leaf.as<ir::NodeId>();
            if (node == nullptr) {
                return leaf;
            }
            ir::Node input;
            input.name = "packed_" + std::to_string(m_made.size());
            input.op = ir::Opcode::Placeholder;
            input.target = input.name;
            input.value = packed.node(*node).value;
            return m_made.append(std::move(input));
        });
    }

    base::Result<ir::GraphPtr> run() {
        for (const ir::NodeId id : m_hook.order()) {
            const ir::Node& node = m_hook.node(id);
            if (node.op == ir::Opcode::Placeholder) {
                m_values[id.index()] = m_packed;
                continue;
            }
            if (takeApart(id)) {
                continue;
            }
            if (auto copied = copy(id); !copied) {
                return std::move(copied).error();
            }
        }
        for (const auto& [name, subgraph] : m_hook.subgraphs()) {
            m_made.addSubgraph(name, subgraph);
        }
        return ir::Graph::freeze(std::move(m_made));
    }

private:
    /// Whether the node takes a packed container apart.
    bool takeApart(ir::NodeId id) {
        const ir::Node& node = m_hook.node(id);
        const auto* container = node.args.size() == 2 ? node.args[0].as<ir::NodeId>() : nullptr;
        if (node.target != "_operator.getitem" || container == nullptr) {
            return false;
        }
        auto element = elementOf(m_values[container->index()], node.args[1]);
        if (element) {
            m_values[id.index()] = *std::move(element);
        }
        return element.has_value();
    }

    base::Result<void> copy(ir::NodeId id) {
        ir::Node node = m_hook.node(id);
        bool usesContainer = false;
        const auto mapped = [&](ir::NodeId input) {
            const ir::Argument& value = m_values[input.index()];
            usesContainer = usesContainer || value.as<std::shared_ptr<const ir::DictArgument>>() != nullptr;
            return value;
        };
        ir::mapArguments(node, mapped);
        if (usesContainer) {
            return unsupported(node, "uses the packed dictionary as a whole.");
        }
        m_values[id.index()] = m_made.append(std::move(node));
        return {};
    }

    const ir::Graph& m_hook;
    ir::Graph m_made;
    ir::Argument m_packed;
    /// What each node of the hook stands for.
    std::vector<ir::Argument> m_values;
};

} // namespace

PackProgram packProgram(const ir::Graph& hook, const ir::ValueMeta& tensor) {
    PackProgram packing;
    ir::Graph program = hook.clone();
    for (const ir::NodeId input : hook.placeholders()) {
        program.edit(input).value = tensor;
    }
    ir::TupleArgument traced;
    packing.result = mapLeaves(returnedBy(hook), [&](const ir::Argument& leaf) -> ir::Argument {
        const auto* node = leaf.as<ir::NodeId>();
        if (node == nullptr) {
            return leaf;
        }
        // A graph returns no sizes as a whole.
        if (const auto dimensions = sizeOfInput(hook, *node, tensor)) {
            ir::TupleArgument sizes;
            for (std::size_t i = 0; i < *dimensions; ++i) {
                sizes.items.emplace_back(ir::NodeId(static_cast<std::uint32_t>(traced.items.size())));
                packing.parts.push_back(PackProgram::Part::Value);
                traced.items.emplace_back(addElement(program, *node, i));
            }
            return sizes;
        }
        const PartOf found = partOf(hook, *node);
        packing.parts.push_back(found.part);
        traced.items.emplace_back(found.node);
        return ir::NodeId(static_cast<std::uint32_t>(traced.items.size() - 1));
    });
    if (const auto output = program.output()) {
        program.edit(*output).args = {std::move(traced)};
    }
    packing.program = ir::Graph::freeze(std::move(program));
    return packing;
}

ir::GraphPtr withPackedValues(const PackProgram& packing, const ir::Graph& traced) {
    const ir::Argument returned = returnedBy(traced);
    const auto* tuple = returned.as<ir::TupleArgument>();
    const auto* list = returned.as<ir::ListArgument>();
    const ir::Arguments values = tuple != nullptr  ? tuple->items
                                 : list != nullptr ? list->items
                                                   : ir::Arguments{returned};
    ir::Graph made = traced.clone();
    const auto output = made.output();
    ir::Argument result = ir::mapNodes(packing.result, [&](ir::NodeId id) -> ir::Argument {
        const ir::Argument& value = values.at(id.index());
        const auto* node = value.as<ir::NodeId>();
        const ir::TensorMeta* meta = node == nullptr ? nullptr : ir::asTensor(traced.node(*node).value);
        if (packing.parts[id.index()] == Part::DType && meta != nullptr) {
            return meta->dtype;
        }
        if (packing.parts[id.index()] == Part::Device && meta != nullptr) {
            return ir::DeviceArgument{meta->device.value_or(ir::Device{"cpu", -1})};
        }
        return value;
    });
    made.edit(*output).args = {std::move(result)};
    made.edit(*output).descriptors.clear();
    eraseUnused(made);
    return ir::Graph::freeze(std::move(made));
}

base::Result<ir::GraphPtr> unpackProgram(const ir::Graph& hook, const ir::Graph& packed) {
    return Unpacking(hook, packed).run();
}

} // namespace aotscope::aot
