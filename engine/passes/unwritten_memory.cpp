#include "passes/unwritten_memory.h"

#include "passes/op_facts.h"

#include "ir/op_schema.h"
#include "ir/storages.h"
#include "ir/value.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

namespace aotscope::passes {
namespace {

template<std::size_t count>
bool isOneOf(const std::array<std::string_view, count>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// Numbers from outside for every element of the first operand, of which only size, strides and dtype matter.
bool writesOverFirst(std::string_view target) {
    constexpr std::array<std::string_view, 30> packets = {
        "aten.copy",       "aten.copy_",      "aten.fill",         "aten.fill_",
        "aten.zero",       "aten.zero_",      "aten.normal_",      "aten.normal_functional",
        "aten.uniform",    "aten.uniform_",   "aten.exponential",  "aten.exponential_",
        "aten.geometric",  "aten.geometric_", "aten.log_normal",   "aten.log_normal_",
        "aten.cauchy",     "aten.cauchy_",    "aten.random",       "aten.random_",
        "aten.bernoulli_", "aten.zeros_like", "aten.ones_like",    "aten.full_like",
        "aten.rand_like",  "aten.randn_like", "aten.randint_like", "aten.new_zeros",
        "aten.new_ones",   "aten.new_full"};
    // bernoulli.default draws with its operand's elements as probabilities.
    return isOneOf(packets, overloadPacket(target)) || target == "aten.bernoulli.p" ||
           target == "aten.bernoulli.Tensor";
}

/// "aten.slice_scatter": a copy of its first operand, a part of which is replaced by the second.
bool isScatter(std::string_view target) {
    constexpr std::array<std::string_view, 3> packets = {"aten.slice_scatter", "aten.select_scatter",
                                                         "aten.diagonal_scatter"};
    return isOneOf(packets, overloadPacket(target));
}

bool isRandomRelu(std::string_view target) {
    constexpr std::array<std::string_view, 3> packets = {"aten.rrelu_with_noise", "aten.rrelu_with_noise_",
                                                         "aten.rrelu_with_noise_functional"};
    return isOneOf(packets, overloadPacket(target));
}

/// Sizes without those of one element; equal ones have equally many elements.
ir::SymInts extents(const ir::TensorMeta& tensor) {
    ir::SymInts sizes = tensor.shape;
    std::erase(sizes, ir::SymInt(1));
    return sizes;
}

bool hasElements(const ir::ValueMeta& value) {
    const ir::TensorMeta* tensor = ir::asTensor(value);
    return tensor == nullptr || std::ranges::find(tensor->shape, ir::SymInt(0)) == tensor->shape.end();
}

class UnwrittenMemory {
public:
    explicit UnwrittenMemory(const ir::Graph& graph)
        : m_graph(graph),
          m_storages(ir::deriveStorages(graph)),
          m_base(m_storages.count),
          m_isStorageUnwritten(m_storages.count, false),
          m_isPieceWritten(graph.idBound(), false),
          m_areResultsUnwritten(graph.idBound(), false) {}

    std::vector<bool> find() {
        for (const ir::NodeId id : m_graph.order()) {
            const ir::Node& node = m_graph.node(id);
            const std::uint32_t storage = storageOf(id);
            const bool isNew = storage != ir::noStorage && !m_base[storage].valid();
            if (isNew) {
                m_base[storage] = id;
            }
            if (node.op != ir::Opcode::CallFunction || node.target.starts_with("aten.sym_")) {
                continue;
            }
            if ((opFlags(node.target) & OpMutable) != 0) {
                write(id);
            }
            if (isNew) {
                m_isStorageUnwritten[storage] = makesUnwritten(id);
            } else if (storage == ir::noStorage) {
                m_areResultsUnwritten[id.index()] = readsUnwritten(id);
            } else {
                m_isPieceWritten[id.index()] = isPieceWritten(id);
            }
        }
        std::vector<bool> values(m_graph.idBound(), false);
        for (const ir::NodeId id : m_graph.order()) {
            values[id.index()] = isUnwritten(id);
        }
        return values;
    }

private:
    [[nodiscard]] std::uint32_t storageOf(ir::NodeId id) const { return m_storages.ofNode[id.index()]; }

    /// At this point of the graph.
    [[nodiscard]] bool isUnwritten(ir::NodeId id) const {
        const std::uint32_t storage = storageOf(id);
        return storage == ir::noStorage ? m_areResultsUnwritten[id.index()]
                                        : m_isStorageUnwritten[storage] && !m_isPieceWritten[id.index()];
    }

    /// Whether the new memory of a node's result does not only hold numbers that something wrote.
    [[nodiscard]] bool makesUnwritten(ir::NodeId id) const {
        const ir::Node& node = m_graph.node(id);
        if (isUninitialized(node.target)) {
            return hasElements(node.value);
        }
        const auto* picked = node.target == "_operator.getitem" && node.args.size() == 2
                                 ? node.args[0].as<ir::NodeId>()
                                 : nullptr;
        const auto* index = picked == nullptr ? nullptr : node.args[1].as<std::int64_t>();
        if (index != nullptr && *index == 1 && isRandomRelu(m_graph.node(*picked).target)) {
            const ir::Node& relu = m_graph.node(*picked);
            const ir::NodeId* noise = operand(relu, 1);
            return noise != nullptr && isUnwritten(*noise) && !drawsNoise(relu);
        }
        return readsUnwritten(id);
    }

    [[nodiscard]] bool readsUnwritten(ir::NodeId id) const {
        const ir::Node& node = m_graph.node(id);
        return std::ranges::any_of(m_graph.inputs(id), [&](ir::NodeId input) {
            return isUnwritten(input) && !isOnlyLookedAt(id, node, input);
        });
    }

    /// Whether a call's result does not depend on the numbers in that operand.
    [[nodiscard]] bool isOnlyLookedAt(ir::NodeId id, const ir::Node& node, ir::NodeId input) const {
        const auto isOnly = [&](std::size_t position) {
            const ir::NodeId* at = operand(node, position);
            return at != nullptr && *at == input &&
                   std::ranges::count_if(node.args, [&](const ir::Argument& argument) {
                       const auto* each = argument.as<ir::NodeId>();
                       return each != nullptr && *each == input;
                   }) == 1;
        };
        if (isRandomRelu(node.target)) {
            return isOnly(1);
        }
        const bool takesResult = std::ranges::any_of(node.kwargs, [&](const ir::KeywordArgument& keyword) {
            const auto* to = keyword.value.as<ir::NodeId>();
            return to != nullptr && *to == input && keyword.name.starts_with("out");
        });
        if (takesResult) {
            return true;
        }
        return isOnly(0) && (writesOverFirst(node.target) || (isScatter(node.target) && replacesAll(id)));
    }

    /// Whether a scatter's second operand has as many elements as its result.
    [[nodiscard]] bool replacesAll(ir::NodeId id) const {
        const ir::NodeId* source = operand(m_graph.node(id), 1);
        const ir::TensorMeta* whole = ir::asTensor(m_graph.node(id).value);
        const ir::TensorMeta* part = source == nullptr ? nullptr : ir::asTensor(m_graph.node(*source).value);
        return whole != nullptr && part != nullptr && extents(*whole) == extents(*part);
    }

    /// In training every element of the noise is drawn, else none is written.
    [[nodiscard]] static bool drawsNoise(const ir::Node& relu) {
        const bool* training = relu.args.size() > 4 ? relu.args[4].as<bool>() : nullptr;
        for (const ir::KeywordArgument& argument : relu.kwargs) {
            training = argument.name == "training" ? argument.value.as<bool>() : training;
        }
        return training != nullptr && *training;
    }

    [[nodiscard]] static const ir::NodeId* operand(const ir::Node& node, std::size_t position) {
        return position < node.args.size() ? node.args[position].as<ir::NodeId>() : nullptr;
    }

    /// What an operator writes to has afterwards what it has computed, and keeps none of its own numbers if
    /// it was only looked at.
    void write(ir::NodeId id) {
        const ir::Node& node = m_graph.node(id);
        const std::shared_ptr<const ir::OpSchema> schema = ir::trySchema(node.target);
        if (!schema) {
            return;
        }
        const bool isUnwrittenAfter = readsUnwritten(id);
        for (std::size_t i = 0; i < schema->arguments.size(); ++i) {
            const ir::SchemaArgument& argument = schema->arguments[i];
            const ir::NodeId* to = operand(node, i);
            for (const ir::KeywordArgument& keyword : node.kwargs) {
                to = keyword.name == argument.name ? keyword.value.as<ir::NodeId>() : to;
            }
            const bool isNoise = isRandomRelu(node.target) && i == 1;
            if (argument.isMutated && to != nullptr && (!isNoise || drawsNoise(node))) {
                setWritten(*to, isUnwrittenAfter);
            }
        }
    }

    void setWritten(ir::NodeId id, bool isUnwrittenAfter) {
        const std::uint32_t storage = storageOf(id);
        if (storage == ir::noStorage) {
            m_areResultsUnwritten[id.index()] = isUnwrittenAfter;
        } else if (isUnwrittenAfter || isWhole(id)) {
            m_isStorageUnwritten[storage] = isUnwrittenAfter;
            m_isPieceWritten[id.index()] = false;
        } else {
            m_isPieceWritten[id.index()] = true;
        }
    }

    /// Whether a value has all elements of its memory.
    [[nodiscard]] bool isWhole(ir::NodeId id) const {
        const ir::NodeId base = m_base[storageOf(id)];
        const ir::TensorMeta* own = ir::asTensor(m_graph.node(id).value);
        const ir::TensorMeta* all = ir::asTensor(m_graph.node(base).value);
        return base == id || (own != nullptr && all != nullptr && hasAsMany(*own, *all));
    }
    static bool hasAsMany(const ir::TensorMeta& left, const ir::TensorMeta& right) {
        const auto leftBytes = left.bytes({});
        const auto rightBytes = right.bytes({});
        return leftBytes && rightBytes ? *leftBytes == *rightBytes : extents(left) == extents(right);
    }

    /// Whether a view is of a piece that was written, or the result of an operator in place.
    [[nodiscard]] bool isPieceWritten(ir::NodeId id) const {
        const auto inputs = m_graph.inputs(id);
        const auto viewed =
            std::ranges::find_if(inputs, [&](ir::NodeId input) { return storageOf(input) == storageOf(id); });
        return viewed != inputs.end() && m_isPieceWritten[viewed->index()];
    }

    const ir::Graph& m_graph;
    ir::Storages m_storages;
    /// By storage: the node that made it.
    std::vector<ir::NodeId> m_base;
    std::vector<bool> m_isStorageUnwritten;
    /// By node: whether it is a written piece of memory that is not all written.
    std::vector<bool> m_isPieceWritten;
    /// By node, of those without a storage: several results, or numbers.
    std::vector<bool> m_areResultsUnwritten;
};

} // namespace

std::vector<bool> unwrittenValues(const ir::Graph& graph) {
    return UnwrittenMemory(graph).find();
}

} // namespace aotscope::passes
