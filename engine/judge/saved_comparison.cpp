#include "judge/saved_comparison.h"

#include "ir/operators/operator.h"
#include "ir/text/printer.h"
#include "passes/op_facts.h"
#include "passes/value_size.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace aotscope::judge {
namespace {

/// A value that is computed, whatever its nodes are called.
using ValueNumber = std::uint32_t;

bool isDraw(const ir::Node& node) {
    return node.op == ir::Opcode::CallFunction &&
           (passes::opFlags(node.target) & (passes::OpSeeded | passes::OpRandom)) != 0;
}

std::vector<ir::NodeId> drawsOf(const ir::Graph& graph) {
    std::vector<ir::NodeId> draws;
    std::ranges::copy_if(graph.order(), std::back_inserter(draws),
                         [&](ir::NodeId id) { return isDraw(graph.node(id)); });
    return draws;
}

/// Which draw of the joint graph a node is that Inductor put in its place: it makes a list with one seed for
/// each of the `draws`, in their order, looks one up, and computes the numbers from it.
std::optional<std::size_t> placeAmongDraws(const ir::Graph& graph, const ir::Node& node, std::size_t draws) {
    for (const ir::Argument& argument : node.args) {
        const ir::NodeId* seed = argument.as<ir::NodeId>();
        if (seed == nullptr || graph.node(*seed).args.size() != 2 ||
            !ir::Operator(graph.node(*seed).target).is(ir::Trait::LooksUpSeed)) {
            continue;
        }
        const ir::Arguments& lookup = graph.node(*seed).args;
        const ir::NodeId* list = lookup[0].as<ir::NodeId>();
        const auto* place = lookup[1].as<std::int64_t>();
        if (list == nullptr || place == nullptr || !isDraw(graph.node(*list))) {
            continue;
        }
        const ir::Arguments& seeds = graph.node(*list).args;
        const auto* count = seeds.empty() ? nullptr : seeds.front().as<std::int64_t>();
        if (count != nullptr && std::cmp_equal(*count, draws) && *place >= 0 && *place < *count) {
            return static_cast<std::size_t>(*place);
        }
    }
    return std::nullopt;
}

/// Numbers the values of a joint graph and of its halves.
class ValueNumbers {
public:
    explicit ValueNumbers(const ir::Graph& joint)
        : m_joint(joint), m_draws(drawsOf(joint)), m_ofJoint(number(joint, nullptr)) {}

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
        if (same && isSameNode(*joint, joint->node(*same), graph, node)) {
            return m_ofJoint[same->index()];
        }
        if (const auto back = givenBack(graph, node)) {
            return numbers[back->index()];
        }
        if (const auto place =
                joint != nullptr ? placeAmongDraws(graph, node, m_draws.size()) : std::nullopt) {
            const ir::NodeId drawn = m_draws[*place];
            if (ir::valueText(joint->node(drawn).value) == ir::valueText(node.value)) {
                return m_ofJoint[drawn.index()];
            }
        }
        std::string key = keyOf(graph, node, numbers);
        if (key.empty() && joint != nullptr) {
            // What the partition itself puts into a half, such as the state of a random generator, has the
            // same name in the log's.
            key = "made by the partition: " + node.name + " " + node.target + " " + ir::valueText(node.value);
        }
        return key.empty() ? m_next++ : numberOfKey(key);
    }

    /// A backend may have replaced the nodes among the arguments of a node that keeps its name.
    static bool isSameNode(const ir::Graph& joint, const ir::Node& a, const ir::Graph& half,
                           const ir::Node& b) {
        return a.op == b.op && (a.op == ir::Opcode::Placeholder ||
                                (a.target == b.target && ir::valueText(a.value) == ir::valueText(b.value) &&
                                 constantsOf(joint, a) == constantsOf(half, b)));
    }

    static std::string constantsOf(const ir::Graph& graph, const ir::Node& node) {
        std::string text;
        for (const ir::Argument& argument : node.args) {
            addArgument(text, graph, argument, nullptr);
        }
        for (const ir::KeywordArgument& keyword : node.kwargs) {
            text += keyword.name + "=";
            addArgument(text, graph, keyword.value, nullptr);
        }
        return text;
    }

    static std::optional<ir::NodeId> givenBack(const ir::Graph& graph, const ir::Node& node) {
        if (node.op != ir::Opcode::CallFunction || node.args.empty() ||
            !ir::Operator(node.target).is(ir::Trait::MayReturnArgument)) {
            return std::nullopt;
        }
        const ir::NodeId* first = node.args.front().as<ir::NodeId>();
        const std::string text = ir::valueText(node.value);
        const bool isSame =
            first != nullptr && !text.empty() && text == ir::valueText(graph.node(*first).value);
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
        bool isTold = true;
        for (const ir::Argument& argument : node.args) {
            isTold = addArgument(key, graph, argument, &numbers) && isTold;
        }
        for (const ir::KeywordArgument& keyword : node.kwargs) {
            key += keyword.name + "=";
            isTold = addArgument(key, graph, keyword.value, &numbers) && isTold;
        }
        if (!isTold) {
            return {};
        }
        return key + ") " + ir::valueText(node.value);
    }

    /// The key of a tensor with one value everywhere, whichever operator creates it; empty: it is none.
    static std::string constantKey(const ir::Graph& graph, const ir::Node& node) {
        const std::size_t at = ir::Operator(node.target)->constant.value_or(node.args.size());
        if (at >= node.args.size() || node.args[at].as<ir::NodeId>() != nullptr) {
            return {};
        }
        const auto* integer = node.args[at].as<std::int64_t>();
        const std::string value =
            integer != nullptr ? std::to_string(*integer) + ".0" : ir::argumentText(graph, node.args[at]);
        return "constant " + value + " " + ir::valueText(node.value);
    }

    /// False: the argument names nodes in a text, in which they may be called otherwise. `numbers` null: all
    /// nodes count as the same.
    static bool addArgument(std::string& key, const ir::Graph& graph, const ir::Argument& argument,
                            const Numbers* numbers) {
        bool isTold = true;
        if (const auto* node = argument.as<ir::NodeId>()) {
            key += "%" + (numbers == nullptr ? "" : std::to_string((*numbers)[node->index()]));
        } else if (const ir::Arguments* items = ir::itemsOf(argument)) {
            key += "[";
            isTold = std::ranges::all_of(
                *items, [&](const ir::Argument& item) { return addArgument(key, graph, item, numbers); });
            key += "]";
        } else {
            ir::forEachNode(argument, [&](ir::NodeId /*id*/) { isTold = false; });
            key += isTold ? ir::argumentText(graph, argument) : std::string();
        }
        key += ",";
        return isTold;
    }

    ValueNumber numberOfKey(const std::string& key) {
        const auto [at, isNew] = m_keys.try_emplace(key, m_next);
        m_next += isNew ? 1 : 0;
        return at->second;
    }

    const ir::Graph& m_joint;
    std::vector<ir::NodeId> m_draws;
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
    /// Whether the other side saves it, too.
    bool isShared = false;
};
using SavedValues = std::vector<SavedValue>;

SavedValue savedValue(const ir::Graph& graph, ir::NodeId id, const std::vector<ValueNumber>& numbers,
                      passes::ValueSizes& sizes) {
    const ir::Node& node = graph.node(id);
    const bool isTensor = ir::asTensor(node.value) != nullptr;
    return {id, node.name, numbers[id.index()], ir::valueText(node.value), isTensor ? sizes.bytes(id) : 0};
}

/// What a forward returns behind its first `outputs` values.
SavedValues savedValues(const passes::Partition& made, const ir::Graph& forward, std::size_t outputs,
                        const std::vector<ValueNumber>& numbers) {
    passes::ValueSizes sizes(forward, made.rules, made.joint->symbolHints());
    SavedValues values;
    const std::vector<ir::NodeId> returned = ir::returnedNodes(forward);
    for (std::size_t i = outputs; i < returned.size(); ++i) {
        if (returned[i].valid()) {
            values.push_back(savedValue(forward, returned[i], numbers, sizes));
        }
    }
    return values;
}

/// The first of the saved values that a value of the forward is a view of; null: it is none.
const SavedValue* viewedValue(const ir::Graph& forward, ir::NodeId id, const SavedValues& saved,
                              const std::vector<ValueNumber>& numbers) {
    for (std::size_t steps = forward.size(); steps > 0; --steps) {
        const ir::Node& node = forward.node(id);
        const bool isView = node.op == ir::Opcode::CallFunction &&
                            ir::Operator(node.target).is(ir::Trait::View) && !node.args.empty() &&
                            node.args.front().as<ir::NodeId>() != nullptr;
        if (!isView) {
            return nullptr;
        }
        id = *node.args.front().as<ir::NodeId>();
        const auto found = std::ranges::find(saved, numbers[id.index()], &SavedValue::number);
        if (found != saved.end()) {
            return &*found;
        }
    }
    return nullptr;
}

std::string lineOf(const SavedValue& value) {
    return value.name + (value.meta.empty() ? "" : ": " + value.meta) +
           (value.bytes == 0 ? "" : ", " + std::to_string(value.bytes) + " bytes");
}

/// Finds each value's partner: first of the same name, then by what it computes.
void pairValues(SavedValues& made, SavedValues& logged, SavedComparison& comparison) {
    const auto pair = [&](SavedValue& ours, SavedValue& theirs) {
        ours.isShared = true;
        theirs.isShared = true;
        if (ours.name != theirs.name) {
            comparison.renamed.push_back(ours.name + " is " + theirs.name + " in the log");
        }
        if (!ours.meta.empty() && !theirs.meta.empty() && ours.meta != theirs.meta) {
            comparison.changed.push_back(ours.name + ": made " + ours.meta + ", logged " + theirs.meta);
        }
    };
    for (const bool isByName : {true, false}) {
        for (SavedValue& ours : made) {
            const auto found = std::ranges::find_if(logged, [&](const SavedValue& theirs) {
                return !theirs.isShared && theirs.number == ours.number &&
                       (!isByName || theirs.name == ours.name);
            });
            if (!ours.isShared && found != logged.end()) {
                pair(ours, *found);
            }
        }
    }
}

/// The numbers of the values that both sides save, in order; `all` false: only those of the same name.
std::vector<ValueNumber> sharedInOrder(const SavedValues& values, const SavedValues& others, bool all) {
    std::vector<ValueNumber> numbers;
    for (const SavedValue& value : values) {
        const bool isNamedAlike = std::ranges::find(others, value.name, &SavedValue::name) != others.end();
        if (value.isShared && (all || isNamedAlike)) {
            numbers.push_back(value.number);
        }
    }
    return numbers;
}

std::int64_t bytesOf(const SavedValues& values) {
    std::int64_t bytes = 0;
    for (const SavedValue& value : values) {
        bytes += value.bytes;
    }
    return bytes;
}

} // namespace

SavedComparison compareSaved(const passes::Partition& made, const ir::Graph& forward,
                             const ir::Graph& loggedForward, std::size_t loggedOutputs) {
    ValueNumbers numbers(*made.joint);
    const std::vector<ValueNumber> ofForward = numbers.of(forward);
    SavedValues ours = savedValues(made, forward, made.forwardOutputs, ofForward);
    SavedValues theirs = savedValues(made, loggedForward, loggedOutputs, numbers.of(loggedForward));
    SavedComparison comparison;
    comparison.made = ours.size();
    comparison.logged = theirs.size();
    comparison.madeBytes = bytesOf(ours);
    comparison.loggedBytes = bytesOf(theirs);
    pairValues(ours, theirs, comparison);
    for (const SavedValue& value : ours) {
        if (value.isShared) {
            continue;
        }
        const SavedValue* base = viewedValue(forward, value.node, ours, ofForward);
        comparison.onlyMade.push_back(
            lineOf(value) + (base == nullptr ? "" : ", a view of " + base->name + ", which is saved too"));
    }
    for (const SavedValue& value : theirs) {
        if (!value.isShared) {
            comparison.onlyLogged.push_back(lineOf(value));
        }
    }
    comparison.isOrderEqualWithRenamed =
        sharedInOrder(ours, theirs, true) == sharedInOrder(theirs, ours, true);
    comparison.isOrderEqual = comparison.isOrderEqualWithRenamed ||
                              sharedInOrder(ours, theirs, false) == sharedInOrder(theirs, ours, false);
    return comparison;
}

} // namespace aotscope::judge
