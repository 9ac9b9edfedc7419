#include "memory/profile_parts.h"

#include "ir/op_schema.h"
#include "ir/operators/operator.h"
#include "ir/storages.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace aotscope::memory {
namespace {

constexpr std::int64_t blockBytes = 512;

std::int64_t rounded(std::int64_t bytes, Rounding rounding) {
    return rounding == Rounding::Blocks512 ? (bytes + blockBytes - 1) / blockBytes * blockBytes : bytes;
}

/// Bytes of a new tensor's storage, up to the last element, so that a dimension with stride 0 counts once.
std::optional<std::int64_t> storageBytes(const ir::TensorMeta& tensor, const ir::SymbolBindings& bindings) {
    std::int64_t last = tensor.storageOffset ? tensor.storageOffset->value(bindings).value_or(0) : 0;
    if (!tensor.stride || tensor.stride->size() != tensor.shape.size()) {
        const auto bytes = tensor.bytes(bindings);
        return bytes ? std::optional(std::min(*bytes, std::int64_t{1} << 42)) : std::nullopt;
    }
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        const auto size = tensor.shape[i].value(bindings);
        const auto stride = (*tensor.stride)[i].value(bindings);
        if (!size || !stride) {
            return std::nullopt;
        }
        if (*size == 0) {
            return 0;
        }
        std::int64_t extent = 0;
        if (__builtin_mul_overflow(*size - 1, *stride, &extent) ||
            __builtin_add_overflow(last, extent, &last)) {
            return std::nullopt;
        }
    }
    // The sizes of a million of the largest tensors still add up in 63 bits.
    constexpr std::int64_t mostElements = std::int64_t{1} << 38;
    const std::int64_t elements = last >= mostElements ? mostElements : std::max<std::int64_t>(last + 1, 0);
    return elements * static_cast<std::int64_t>(ir::dtypeBytes(tensor.dtype));
}

class Lives {
public:
    Lives(const ir::Graph& graph, const ProfileOptions& options, const ir::Graph* sibling)
        : m_graph(graph),
          m_sibling(sibling),
          m_rounding(options.rounding),
          m_symbols(options.symbols),
          m_storages(ir::deriveStorages(graph)) {
        m_symbols.insert(graph.symbolHints().begin(), graph.symbolHints().end());
        m_lives.resize(m_storages.count);
    }

    std::vector<StorageLife> find() {
        for (const ir::NodeId id : m_graph.order()) {
            addNode(id);
        }
        addReturned();
        std::erase_if(m_lives, [](const StorageLife& life) { return life.nodes.empty(); });
        std::ranges::stable_sort(m_lives, {}, &StorageLife::from);
        return std::move(m_lives);
    }

private:
    /// The node that computes a value: the call for a getitem of its result, else the node itself.
    [[nodiscard]] ir::NodeId makerOf(ir::NodeId id) const {
        const ir::Node* node = &m_graph.node(id);
        while (node->op == ir::Opcode::CallFunction && node->target == "_operator.getitem") {
            const ir::NodeId* parent = node->tryArg<ir::NodeId>(0);
            if (parent == nullptr || ir::asTensor(m_graph.node(*parent).value) != nullptr) {
                break;
            }
            id = *parent;
            node = &m_graph.node(id);
        }
        return id;
    }

    [[nodiscard]] std::uint32_t lastUse(ir::NodeId id) const {
        const auto users = m_graph.users(id);
        return users.empty() ? m_graph.position(id) : m_graph.position(users.back());
    }

    void addNode(ir::NodeId id) {
        const ir::Node& node = m_graph.node(id);
        addUntaken(id);
        const ir::TensorMeta* tensor = ir::asTensor(node.value);
        const std::uint32_t storage = m_storages.ofNode[id.index()];
        if (tensor == nullptr || storage == ir::noStorage) {
            return;
        }
        StorageLife& life = m_lives[storage];
        if (life.nodes.empty()) {
            life.from = m_graph.position(makerOf(id));
            life.isInput = node.op == ir::Opcode::Placeholder || node.op == ir::Opcode::GetAttr;
            const auto bytes = storageBytes(*tensor, m_symbols);
            life.sizeKnown = bytes.has_value();
            life.bytes = std::max(rounded(bytes.value_or(0), m_rounding), wholeSource(node));
        }
        life.nodes.push_back(id);
        life.last = std::max({life.last, life.from, lastUse(id)});
    }

    /// Bytes of the first argument's whole storage for operators that write into a copy of that argument:
    /// they copy the gaps between its elements, too (clone_preserve_strides), unless elements overlap. 0 for
    /// other operators.
    [[nodiscard]] std::int64_t wholeSource(const ir::Node& node) const {
        const bool isCopy = node.op == ir::Opcode::CallFunction &&
                            ir::Operator(node.target).is(ir::Trait::CopiesWholeStorage);
        const auto* source = isCopy ? node.tryArg<ir::NodeId>(0) : nullptr;
        const ir::TensorMeta* tensor =
            source == nullptr ? nullptr : ir::asTensor(m_graph.node(*source).value);
        if (tensor == nullptr || m_storages.ofNode[source->index()] == ir::noStorage || repeats(*tensor)) {
            return 0;
        }
        return m_lives[m_storages.ofNode[source->index()]].bytes;
    }

    /// Whether the tensor is expanded: a stride of 0 over more than one element.
    [[nodiscard]] bool repeats(const ir::TensorMeta& tensor) const {
        for (std::size_t i = 0; tensor.stride && i < std::min(tensor.shape.size(), tensor.stride->size());
             ++i) {
            if ((*tensor.stride)[i].value(m_symbols) == 0 && tensor.shape[i].value(m_symbols) != 1) {
                return true;
            }
        }
        return false;
    }

    /// Adds the elements without a getitem, which are freed with the call's result.
    void addUntaken(ir::NodeId id) {
        const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&m_graph.node(id).value);
        if (std::holds_alternative<std::monostate>(m_graph.node(id).value)) {
            noteUntold(id);
        }
        if (tuple == nullptr || m_graph.node(id).op != ir::Opcode::CallFunction) {
            return;
        }
        std::vector<bool> taken((*tuple)->elements.size(), false);
        for (const ir::NodeId user : m_graph.users(id)) {
            if (const auto picked = ir::pickedResult(m_graph.node(user));
                picked && picked->index < taken.size()) {
                taken[picked->index] = true;
            }
        }
        for (std::size_t i = 0; i < taken.size(); ++i) {
            const ir::TensorMeta* tensor = ir::asTensor((*tuple)->elements[i]);
            if (taken[i] || tensor == nullptr) {
                continue;
            }
            addElement(id, storageBytes(*tensor, m_symbols));
        }
    }

    /// A storage that is freed with the call's result.
    void addElement(ir::NodeId call, const std::optional<std::int64_t>& bytes) {
        StorageLife& life = m_lives.emplace_back();
        life.nodes = {call};
        life.bytes = rounded(bytes.value_or(0), m_rounding);
        life.sizeKnown = bytes.has_value();
        life.from = m_graph.position(call);
        life.last = lastUse(call);
    }

    /// Whether the argument output_mask ([True, True, False]) excludes a result.
    static bool isExcluded(const ir::Node& node, const ir::OpSchema& schema, std::size_t result) {
        const auto mask = std::ranges::find(schema.arguments, "output_mask", &ir::SchemaArgument::name);
        const auto position = static_cast<std::size_t>(mask - schema.arguments.begin());
        const auto* wanted = node.tryArg<ir::ListArgument>(position);
        const bool* made =
            wanted != nullptr && result < wanted->items.size() ? wanted->items[result].as<bool>() : nullptr;
        return made != nullptr && !*made;
    }

    /// The getitem of a call's result; invalid: there is none.
    static ir::NodeId getitemOf(const ir::Graph& graph, ir::NodeId call, std::size_t result) {
        for (const ir::NodeId user : graph.users(call)) {
            const auto picked = ir::pickedResult(graph.node(user));
            if (picked && picked->index == result) {
                return user;
            }
        }
        return {};
    }

    /// Bytes of a result without a getitem here, if the step's other half computes the same call and has one.
    [[nodiscard]] std::optional<std::int64_t> bytesInSibling(const ir::Node& node, std::size_t result) const {
        const auto same = m_sibling == nullptr ? std::nullopt : m_sibling->tryFind(node.name);
        if (!same || m_sibling->node(*same).target != node.target) {
            return std::nullopt;
        }
        const ir::NodeId element = getitemOf(*m_sibling, *same, result);
        const ir::TensorMeta* tensor =
            element.valid() ? ir::asTensor(m_sibling->node(element).value) : nullptr;
        return tensor == nullptr ? std::nullopt : storageBytes(*tensor, m_symbols);
    }

    /// Adds the results without a getitem, which a graph's text does not describe: of the size that the
    /// step's other half tells, else of unknown size.
    void noteUntold(ir::NodeId id) {
        const ir::Node& node = m_graph.node(id);
        const auto schema = node.op == ir::Opcode::CallFunction ? ir::trySchema(node.target) : nullptr;
        if (!schema || schema->returns.size() < 2) {
            return;
        }
        bool isUntold = false;
        for (std::size_t i = 0; i < schema->returns.size(); ++i) {
            if (getitemOf(m_graph, id, i).valid() || isExcluded(node, *schema, i)) {
                continue;
            }
            const std::optional<std::int64_t> bytes = bytesInSibling(node, i);
            if (!bytes && std::exchange(isUntold, true)) {
                continue; // Said once for each call.
            }
            addElement(id, bytes);
        }
    }

    void addReturned() {
        const std::vector<ir::NodeId> returned = ir::returnedNodes(m_graph);
        for (std::size_t position = 0; position < returned.size(); ++position) {
            const ir::NodeId id = returned[position];
            const std::uint32_t storage = id.valid() ? m_storages.ofNode[id.index()] : ir::noStorage;
            if (storage != ir::noStorage) {
                m_lives[storage].returned.push_back(position);
            }
        }
    }

    const ir::Graph& m_graph;
    const ir::Graph* m_sibling;
    Rounding m_rounding;
    ir::SymbolBindings m_symbols;
    ir::Storages m_storages;
    std::vector<StorageLife> m_lives;
};

} // namespace

std::vector<StorageLife> storageLives(const ir::Graph& graph, const ProfileOptions& options,
                                      const ir::Graph* sibling) {
    return Lives(graph, options, sibling).find();
}

} // namespace aotscope::memory
