#include "passes/traced_names.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"
#include "ir/op_schema.h"

#include "base/numbers.h"

#include <algorithm>
#include <optional>

namespace aotscope::passes {
namespace {

/// 3 for "getitem_3", 0 for "getitem"; nothing for other names.
std::optional<std::int64_t> numberOfGetitem(std::string_view name) {
    constexpr std::string_view getitem = "getitem";
    if (name == getitem) {
        return 0;
    }
    const bool isNumbered = name.starts_with(getitem) && name.substr(getitem.size()).starts_with('_');
    return isNumbered ? base::wholeNumber<std::int64_t>(name.substr(getitem.size() + 1)) : std::nullopt;
}

/// How many values a call returns; 0: not known.
std::size_t resultCount(const ir::Graph& graph, const ir::Node& node) {
    if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&node.value)) {
        return (*tuple)->elements.size();
    }
    if (ir::isHigherOrder(node.target, ir::HigherOrder::InvokeSubgraph)) {
        const ir::GraphPtr subgraph = ir::bodyAt(graph, node, 0);
        return subgraph ? ir::returnedNodes(*subgraph).size() : 0;
    }
    const auto schema = ir::trySchema(node.target);
    return schema ? schema->returns.size() : 0;
}

/// Tracing creates one getitem with consecutive numbers for each result of a call; unused ones were removed
/// but their names stay taken.
void reserveDeadGetitems(const ir::Graph& traced, ir::FxNames& names) {
    const std::string getitem = "getitem";
    for (const ir::NodeId id : traced.order()) {
        const ir::Node& element = traced.node(id);
        const auto number = numberOfGetitem(element.name);
        const ir::NodeId* call = element.tryArg<ir::NodeId>(0);
        const auto* index = element.tryArg<std::int64_t>(1);
        if (!number || call == nullptr || index == nullptr || *index < 0 || *number < *index) {
            continue;
        }
        const std::int64_t first = *number - *index;
        const auto count = static_cast<std::int64_t>(resultCount(traced, traced.node(*call)));
        for (std::int64_t k = first; k < first + count; ++k) {
            names.reserve(getitem, k);
        }
    }
}

} // namespace

ir::FxNames namesOf(const ir::Graph& traced) {
    ir::FxNames names;
    for (const ir::NodeId id : traced.order()) {
        names.create(traced.node(id).name);
    }
    reserveDeadGetitems(traced, names);
    return names;
}

} // namespace aotscope::passes
