#include "ops/coverage.h"

#include "ops/calls.h"
#include "wheel_lists.h"

#include "ir/operator_name.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace aotscope::torch::ops {

namespace {

CallKind kindOf(std::string_view name) {
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

} // namespace

CallKind coverageOf(std::string_view name) {
    return kindOf(name);
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
    std::vector<CallCoverage> rows;
    rows.reserve(names.size());
    for (const std::string& name : names) {
        rows.push_back({name, kindOf(name)});
    }
    return rows;
}

} // namespace aotscope::torch::ops
