#include "ir/operator_name.h"

#include <algorithm>

namespace aotscope::ir {

OperatorName splitTarget(std::string_view target) {
    const std::size_t first = target.find('.');
    if (first == std::string_view::npos) {
        return {{}, target, {}, target};
    }
    const std::size_t second = std::min(target.find('.', first + 1), target.size());
    return {target.substr(0, first), target.substr(first + 1, second - first - 1),
            target.substr(std::min(second + 1, target.size())), target.substr(0, second)};
}

std::string_view lastPart(std::string_view target) {
    return target.substr(target.rfind('.') + 1);
}

std::string_view functionName(std::string_view target) {
    return target.starts_with("torch.") ? lastPart(target) : splitTarget(target).name;
}

bool isSymbolicOperator(std::string_view target) {
    return target.starts_with("aten.sym_");
}

} // namespace aotscope::ir
