#include "decompositions/coverage.h"

#include "decompositions/before_autograd.h"
#include "decompositions/tables.h"
#include "wheel_lists.h"

#include <algorithm>
#include <set>

namespace aotscope::torch {

namespace {

/// How the wheel's list names all overloads of an operator.
std::string everyOverloadOf(const std::string& op) {
    return op.substr(0, op.find('.')) + ".*";
}

/// The names of one table as the wheel lists them, overloads or whole operators.
std::set<std::string> listedNames(aot::DecompositionTable table) {
    const std::string prefix = table == aot::DecompositionTable::Core ? "core " : "inductor ";
    std::set<std::string> names;
    std::string_view rest = detail::decompositionLists();
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        if (line.starts_with(prefix)) {
            // Releases that list the name may follow it; our tables serve all of them.
            const std::string_view name = line.substr(prefix.size());
            names.emplace(name.substr(0, name.find(' ')));
        }
    }
    return names;
}

DecompositionSource sourceOf(const c10::OperatorHandle& op, const DecompositionSet& table) {
    if (table.find(op) != nullptr) {
        return DecompositionSource::Ours;
    }
    if (op.schema().is_mutable()) {
        return DecompositionSource::Functionalized;
    }
    if (compositeKernels().find(op) != nullptr) {
        return DecompositionSource::Ours;
    }
    return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd)
               ? DecompositionSource::Composite
               : DecompositionSource::Missing;
}

} // namespace

std::vector<DecompositionCoverage> decompositionCoverage(aot::DecompositionTable table) {
    std::vector<DecompositionCoverage> rows;
    const DecompositionSet* ours = decompositionTable(table);
    if (ours == nullptr) {
        return rows;
    }
    const std::set<std::string> listed = listedNames(table);
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
        const auto op = dispatcher.findSchema(name);
        const std::string full = c10::toString(name);
        if (op && (listed.contains(full) || listed.contains(everyOverloadOf(full)))) {
            rows.push_back({full, sourceOf(*op, *ours)});
        }
    }
    std::sort(rows.begin(), rows.end(),
              [](const auto& left, const auto& right) { return left.op < right.op; });
    return rows;
}

std::vector<std::string> decompositionsWithoutOrigin(aot::DecompositionTable table) {
    std::vector<std::string> names;
    const DecompositionSet* ours = decompositionTable(table);
    if (ours == nullptr) {
        return names;
    }
    const std::set<std::string> listed = listedNames(table);
    for (const c10::OperatorHandle& op : ours->operators()) {
        const std::string full = c10::toString(op.operator_name());
        if (!listed.contains(full) && !listed.contains(everyOverloadOf(full))) {
            names.push_back(full);
        }
    }
    return names;
}

} // namespace aotscope::torch
