#include "ops/coverage.h"

#include "ops/calls.h"
#include "wheel_lists.h"

#include "ir/operator_name.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace aotscope::torch::ops {

namespace {

CallKind kindOf(Calls& calls, std::string_view name) {
    constexpr std::string_view method = "Tensor.";
    if (findPythonFunction(name) != nullptr) {
        return CallKind::Written;
    }
    const bool isMethod = name.starts_with(method);
    const std::string_view last = ir::lastPart(name);
    if (isMethod && calls.knowsAttribute(last)) {
        return CallKind::Written;
    }
    if (!(isMethod ? calls.knowsMethod(last) : calls.knowsFunction(name))) {
        return atenOperators().contains(std::string(last)) ? CallKind::Unknown : CallKind::NoOperator;
    }
    return calls.isBinding(name) ? CallKind::Binding : CallKind::Written;
}

} // namespace

CallKind coverageOf(std::string_view name) {
    Calls calls;
    return kindOf(calls, name);
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
    Calls calls;
    std::vector<CallCoverage> rows;
    rows.reserve(names.size());
    for (const std::string& name : names) {
        rows.push_back({name, kindOf(calls, name)});
    }
    return rows;
}

} // namespace aotscope::torch::ops
