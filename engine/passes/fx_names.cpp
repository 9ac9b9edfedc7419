#include "passes/fx_names.h"

#include "ir/op_schema.h"
#include "passes/joint_program.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace aotscope::passes {
namespace {

/// "add" and 3 of "add_3".
struct NumberedName {
    std::string base;
    std::optional<std::uint64_t> number;
};

NumberedName split(const std::string& name) {
    const std::size_t underscore = name.rfind('_');
    if (underscore != std::string::npos && underscore > 0 && underscore + 1 < name.size()) {
        std::uint64_t number = 0;
        const char* first = name.data() + underscore + 1;
        const char* last = name.data() + name.size();
        if (const auto read = std::from_chars(first, last, number);
            read.ec == std::errc() && read.ptr == last) {
            return {name.substr(0, underscore), number};
        }
    }
    return {name, std::nullopt};
}

/// How many values a call returns; 0: not known.
std::size_t resultCount(const ir::Graph& graph, const ir::Node& node) {
    if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&node.value)) {
        return (*tuple)->elements.size();
    }
    const ir::NodeId* body = node.args.empty() ? nullptr : node.args[0].as<ir::NodeId>();
    if (node.target == "higher_order.invoke_subgraph" && body != nullptr) {
        const ir::GraphPtr subgraph = graph.trySubgraph(graph.node(*body).target);
        const auto output = subgraph ? subgraph->output() : std::nullopt;
        std::size_t count = 0;
        if (output) {
            for (const ir::Argument& argument : subgraph->node(*output).args) {
                forEachLeaf(argument, [&count](const ir::Argument&) { ++count; });
            }
        }
        return count;
    }
    const auto schema = ir::trySchema(node.target);
    return schema ? schema->returns.size() : 0;
}

} // namespace

FxNames::FxNames(const ir::Graph& traced) {
    for (const ir::NodeId id : traced.order()) {
        create(traced.node(id).name);
    }
    reserveDeadGetitems(traced);
}

void FxNames::reserveDeadGetitems(const ir::Graph& traced) {
    const std::string getitem = "getitem";
    for (const ir::NodeId id : traced.order()) {
        const ir::Node& element = traced.node(id);
        const NumberedName name = split(element.name);
        const ir::NodeId* call = element.args.empty() ? nullptr : element.args[0].as<ir::NodeId>();
        const auto* index = element.args.size() < 2 ? nullptr : element.args[1].as<std::int64_t>();
        const std::uint64_t number = name.number.value_or(0);
        if (name.base != getitem || call == nullptr || index == nullptr || *index < 0 ||
            number < static_cast<std::uint64_t>(*index)) {
            continue;
        }
        const std::uint64_t first = number - static_cast<std::uint64_t>(*index);
        const std::size_t count = resultCount(traced, traced.node(*call));
        for (std::uint64_t k = first; k < first + count; ++k) {
            m_used.insert(k == 0 ? getitem : getitem + '_' + std::to_string(k));
            m_lastNumber[getitem] = std::max(m_lastNumber[getitem], k);
        }
    }
}

std::string FxNames::create(std::string candidate) {
    const NumberedName name = split(candidate);
    std::uint64_t number = 0;
    if (!name.number || m_used.contains(candidate)) {
        const auto known = m_lastNumber.find(candidate);
        number = known == m_lastNumber.end() ? 0 : known->second;
    } else {
        number = *name.number;
    }
    while (m_used.contains(candidate)) {
        candidate = name.base + '_' + std::to_string(++number);
    }
    m_used.insert(candidate);
    m_lastNumber[name.base] = number;
    return candidate;
}

} // namespace aotscope::passes
