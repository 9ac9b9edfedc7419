#include "judge/decomposed_operators.h"

#include "ir/graph.h"
#include "ir/value.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::judge {
namespace {

bool isCall(const ir::Node& node) {
    return node.op == ir::Opcode::CallFunction;
}

constexpr std::string_view getItem = "_operator.getitem";

/// What takes single results of a call is left out.
std::set<std::string> targetsOf(const ir::Graph& graph) {
    std::set<std::string> targets;
    for (const ir::NodeId id : graph.order()) {
        if (isCall(graph.node(id)) && graph.node(id).target != getItem) {
            targets.insert(graph.node(id).target);
        }
    }
    return targets;
}

/// "aten.add" of "aten.add.Tensor".
std::string_view packetOf(std::string_view target) {
    return target.substr(0, target.rfind('.'));
}

/// Whether a node takes one result of a call whose operator is among these.
bool isResultOf(const ir::Graph& graph, const ir::Node& node, const std::vector<std::string>& operators) {
    const ir::NodeId* call = node.args.empty() ? nullptr : node.args[0].as<ir::NodeId>();
    return node.target == getItem && call != nullptr &&
           std::ranges::find(operators, graph.node(*call).target) != operators.end();
}

/// Symbols may have other names in the two graphs: only numbers are compared.
bool isSameSize(const ir::SymInt& left, const ir::SymInt& right) {
    return left.isSymbolic() || right.isSymbolic() || left == right;
}

bool isSameCall(const ir::Node& traced, const ir::Node& logged) {
    if (!isCall(logged) || traced.target != logged.target) {
        return false;
    }
    const ir::TensorMeta* left = ir::asTensor(traced.value);
    const ir::TensorMeta* right = ir::asTensor(logged.value);
    return left == nullptr || right == nullptr ||
           (left->dtype == right->dtype && std::ranges::equal(left->shape, right->shape, isSameSize));
}

} // namespace

std::vector<std::string> operatorsThatMayBeDecomposed(const ir::Graph& traced, const ir::Graph& logged) {
    if (traced.placeholders().size() != logged.placeholders().size() ||
        traced.returned().size() != logged.returned().size()) {
        return {};
    }
    std::vector<std::string> operators;
    std::ranges::set_difference(targetsOf(traced), targetsOf(logged), std::back_inserter(operators));
    if (!std::ranges::all_of(operators, [](const std::string& name) { return name.starts_with("aten."); })) {
        return {};
    }
    const auto isDecomposed = [&](const ir::Node& node) {
        return std::ranges::find(operators, node.target) != operators.end();
    };
    // Not another overload of what is missing: that is a call of the same operator.
    const auto isOfMissing = [&](const std::string& target) {
        return std::ranges::any_of(
            operators, [&](const std::string& missing) { return packetOf(missing) == packetOf(target); });
    };
    if (std::ranges::any_of(targetsOf(logged), isOfMissing)) {
        return {};
    }
    std::ptrdiff_t more =
        std::ranges::count_if(logged.order(), [&](ir::NodeId id) { return isCall(logged.node(id)); });
    auto place = logged.order().begin();
    for (const ir::NodeId id : traced.order()) {
        const ir::Node& node = traced.node(id);
        if (!isCall(node) || isResultOf(traced, node, operators)) {
            continue;
        }
        // One that is decomposed leaves at least one call.
        --more;
        if (isDecomposed(node)) {
            continue;
        }
        place = std::find_if(place, logged.order().end(),
                             [&](ir::NodeId other) { return isSameCall(node, logged.node(other)); });
        if (place == logged.order().end()) {
            return {};
        }
        ++place;
    }
    return more >= 0 ? operators : std::vector<std::string>();
}

} // namespace aotscope::judge
