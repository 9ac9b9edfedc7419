#include "ops/coverage.h"

#include "ops/calls.h"
#include "wheel_lists.h"

#include "base/mapped.h"
#include "ir/operator_name.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace aotscope::torch::ops {

CallKind coverageOf(std::string_view name) {
    constexpr std::string_view method = "Tensor.";
    if (findPythonFunction(name) != nullptr) {
        return CallKind::Written;
    }
    const bool isMethod = name.starts_with(method);
    const std::string_view last = ir::lastPart(name);
    if (isMethod && Calls::knowsAttribute(last)) {
        return CallKind::Written;
    }
    if (!(isMethod ? Calls::knowsMethod(last) : Calls::knowsFunction(name))) {
        return atenOperators().contains(std::string(last)) ? CallKind::Unknown : CallKind::NoOperator;
    }
    return Calls::isBinding(name) ? CallKind::Binding : CallKind::Written;
}

std::vector<CallCoverage> callCoverage() {
    std::set<std::string, std::less<>> names;
    std::istringstream listed{std::string(detail::functionNames())};
    for (std::string name; std::getline(listed, name);) {
        names.insert(name);
    }
    for (const PythonFunction* function : allPythonFunctions()) {
        names.emplace(function->name);
    }
    return base::mapped(names, [](const std::string& name) { return CallCoverage{name, coverageOf(name)}; });
}

} // namespace aotscope::torch::ops
