#include "session/explore/saved_comparison.h"

#include "session/logged_partitions.h"

#include "ir/text/printer.h"
#include "passes/op_facts.h"
#include "passes/value_size.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace aotscope::session {
namespace {

/// A value that is computed, whatever its nodes are called.
using ValueNumber = std::uint32_t;

/// Operators that give back their first argument if shape, strides and dtype stay.
bool mayGiveBack(std::string_view target) {
    static constexpr std::array<std::string_view, 14> targets = {
        "aten.alias.default",   "aten.detach.default",   "aten.clone.default",
        "aten.view.default",    "aten.reshape.default",  "aten._unsafe_view.default",
        "aten.expand.default",  "aten.permute.default",  "aten.slice.Tensor",
        "aten.t.default",       "aten.transpose.int",    "prims.convert_element_type.default",
        "aten._to_copy.default", "aten.lift_fresh_copy.default"};
    return std::ranges::find(targets, target) != targets.end();
}

/// Numbers the values of a joint graph, and of halves that were made of it.
class ValueNumbers {
public:
    explicit ValueNumbers(const ir::Graph& joint) : m_joint(joint), m_ofJoint(number(joint, nullptr)) {}

    [[nodiscard]] const std::vector<ValueNumber>& ofJoint() const { return m_ofJoint; }
    [[nodiscard]] std::vector<ValueNumber> of(const ir::Graph& half) { return number(half, &m_joint); }

private:
    using Numbers = std::vector<ValueNumber>;

    Numbers number(const ir::Graph& graph, const ir::Graph* joint) {
        Numbers numbers(graph.idBound(), 0);
        for (const ir::NodeId id : graph.order()) {
            numbers[id.index()] = numberOf(graph, id, numbers, joint);
        }
        return numbers;
    }

    ValueNumber numberOf(const ir::Graph& graph, ir::NodeId id, const Numbers& numbers,
                         const ir::Graph* joint) {
        const ir::Node& node = graph.node(id);
        const auto same = joint != nullptr ? joint->tryFind(node.name) : std::nullopt;
        if (same && isSameNode(joint->node(*same), node)) {
            return m_ofJoint[same->index()];
        }
        if (const auto back = givenBack(graph, node)) {
            return numbers[back->index()];
        }
        const std::string key = keyOf(graph, node, numbers);
        return key.empty() ? m_next++ : numberOfKey(key);
    }

    static bool isSameNode(const ir::Node& a, const ir::Node& b) {
        return a.op == b.op && (a.op == ir::Opcode::Placeholder || a.target == b.target) &&
               (a.op == ir::Opcode::Placeholder || ir::valueText(a.value) == ir::valueText(b.value));
    }

    static std::optional<ir::NodeId> givenBack(const ir::Graph& graph, const ir::Node& node) {
        if (node.op != ir::Opcode::CallFunction || node.args.empty() || !mayGiveBack(node.target)) {
            return std::nullopt;
        }
        const ir::NodeId* first = node.args.front().as<ir::NodeId>();
        const std::string text = ir::valueText(node.value);
        const bool isSame = first != nullptr && !text.empty() &&
                            text == ir::valueText(graph.node(*first).value);
        return isSame ? std::optional(*first) : std::nullopt;
    }

    /// Empty: equal calls do not give equal values.
    static std::string keyOf(const ir::Graph& graph, const ir::Node& node, const Numbers& numbers) {
        if (node.op == ir::Opcode::Placeholder) {
            return "input " + node.name;
        }
        if (node.op == ir::Opcode::GetAttr) {
            return "attribute " + node.target;
        }
        constexpr std::uint32_t unequal =
            passes::OpSeeded | passes::OpRandom | passes::OpImpure | passes::OpMutable;
        if (node.op != ir::Opcode::CallFunction || (passes::opFlags(node.target) & unequal) != 0) {
            return {};
        }
        if (const std::string constant = constantKey(graph, node); !constant.empty()) {
            return constant;
        }
        std::string key = node.target + "(";
        for (const ir::Argument& argument : node.args) {
            addArgument(key, graph, argument, numbers);
        }
        for (const ir::KeywordArgument& keyword : node.kwargs) {
            key += keyword.name + "=";
            addArgument(key, graph, keyword.value, numbers);
        }
        return key + ") " + ir::valueText(node.value);
    }

    /// A tensor with one value everywhere, however it was made.
    static std::string constantKey(const ir::Graph& graph, const ir::Node& node) {
        const std::size_t at = node.target == "aten.scalar_tensor.default" ? 0
                               : node.target == "aten.full.default"        ? 1
                                                                           : node.args.size();
        if (at >= node.args.size() || node.args[at].as<ir::NodeId>() != nullptr) {
            return {};
        }
        const auto* integer = node.args[at].as<std::int64_t>();
        const std::string value = integer != nullptr ? std::to_string(*integer) + ".0"
                                                     : ir::argumentText(graph, node.args[at]);
        return "constant " + value + " " + ir::valueText(node.value);
    }

    static void addArgument(std::string& key, const ir::Graph& graph, const ir::Argument& argument,
                            const Numbers& numbers) {
        const auto addAll = [&](const ir::Arguments& items) {
            key += "[";
            for (const ir::Argument& item : items) {
                addArgument(key, graph, item, numbers);
            }
            key += "]";
        };
        if (const auto* node = argument.as<ir::NodeId>()) {
            key += "%" + std::to_string(numbers[node->index()]);
        } else if (const auto* list = argument.as<ir::ListArgument>()) {
            addAll(list->items);
        } else if (const auto* tuple = argument.as<ir::TupleArgument>()) {
            addAll(tuple->items);
        } else {
            std::string nodes;
            ir::forEachNode(argument, [&](ir::NodeId id) {
                nodes += "%" + std::to_string(numbers[id.index()]);
            });
            // The text of such an argument names nodes, which may be called otherwise.
            key += nodes.empty() ? ir::argumentText(graph, argument) : "?" + nodes;
        }
        key += ",";
    }

    ValueNumber numberOfKey(const std::string& key) {
        const auto [at, isNew] = m_keys.try_emplace(key, m_next);
        m_next += isNew ? 1 : 0;
        return at->second;
    }

    const ir::Graph& m_joint;
    std::unordered_map<std::string, ValueNumber> m_keys;
    ValueNumber m_next = 1;
    Numbers m_ofJoint;
};

struct SavedValue {
    ir::NodeId node;
    std::string name;
    ValueNumber number = 0;
    std::string meta;
    std::int64_t bytes = 0;
    /// Position in the other list, once it is found there.
    std::optional<std::size_t> partner = {};
};

std::vector<ir::NodeId> returnedNodes(const ir::Graph& graph, std::size_t from) {
    std::vector<ir::NodeId> nodes;
    const auto output = graph.output();
    if (!output) {
        return nodes;
    }
    ir::Arguments items;
    for (const ir::Argument& argument : graph.node(*output).args) {
        const auto* tuple = argument.as<ir::TupleArgument>();
        const auto* list = argument.as<ir::ListArgument>();
        const ir::Arguments& part = tuple != nullptr ? tuple->items : list != nullptr ? list->items : node_list;
        items.insert(items.end(), part.begin(), part.end());
    }
    return nodes;
}

} // namespace
} // namespace aotscope::session
