#include "timeline/fused_names.h"

#include "ir/operator_name.h"

#include <algorithm>

namespace aotscope::timeline {

namespace {

constexpr std::string_view fusedMark = "_fused_";

} // namespace

std::string operatorName(std::string_view target) {
    const ir::OperatorName parts = ir::splitTarget(target);
    return parts.overload.empty() ? std::string() : std::string(parts.space) + "::" + std::string(parts.name);
}

std::string_view shortOperatorName(std::string_view target) {
    const ir::OperatorName parts = ir::splitTarget(target);
    return parts.overload.empty() ? std::string_view() : parts.name;
}

bool isFusedKernel(std::string_view name) {
    return (name.starts_with("triton_") || name.starts_with("cpp_")) &&
           name.find(fusedMark) != std::string_view::npos;
}

std::vector<std::string> operatorsOfKernel(std::string_view name, const std::vector<std::string>& known) {
    std::string_view rest = name.substr(name.find(fusedMark) + fusedMark.size());
    std::vector<std::string> found;
    while (!rest.empty()) {
        const std::string* longest = nullptr;
        for (const std::string& candidate : known) {
            const bool fits = rest.starts_with(candidate) &&
                              (rest.size() == candidate.size() || rest[candidate.size()] == '_');
            if (fits && (longest == nullptr || candidate.size() > longest->size())) {
                longest = &candidate;
            }
        }
        if (longest != nullptr) {
            found.push_back(*longest);
            rest.remove_prefix(longest->size());
        } else {
            // An operator that the graph does not have, or the number at the end; a leading '_' may belong to
            // a name.
            rest.remove_prefix(1);
            rest.remove_prefix(std::min(rest.find('_'), rest.size()));
        }
        if (rest.starts_with('_')) {
            rest.remove_prefix(1);
        }
    }
    return found;
}

} // namespace aotscope::timeline
