#include "dispatch/operators.h"

#include "dispatch/failure.h"
#include "dispatch/schema_match.h"

#include "ir/operator_name.h"

#include <ATen/core/op_registration/adaption.h>

#include <algorithm>
#include <iterator>
#include <sstream>

namespace aotscope::torch {

namespace {

std::optional<c10::OperatorHandle> onlyOverload(const std::string& name) {
    std::optional<c10::OperatorHandle> found;
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& candidate : dispatcher.getAllOpNames()) {
        if (candidate.name != name) {
            continue;
        }
        if (found) {
            return std::nullopt;
        }
        found = dispatcher.findSchema(candidate);
    }
    return found;
}

} // namespace

c10::OperatorName operatorName(const std::string& text) {
    const std::size_t dot = text.find('.');
    return {text.substr(0, dot), dot == std::string::npos ? "" : text.substr(dot + 1)};
}

c10::ArrayRef<c10::IValue> argumentsOn(const c10::OperatorHandle& op, const c10::Stack& stack) {
    const std::size_t count = op.schema().arguments().size();
    return c10::ArrayRef<c10::IValue>(stack).slice(stack.size() - count, count);
}

c10::ArrayRef<c10::IValue> resultsOn(const c10::OperatorHandle& op, const c10::Stack& stack) {
    const std::size_t count = op.schema().returns().size();
    return c10::ArrayRef<c10::IValue>(stack).slice(stack.size() - count, count);
}

void replaceArguments(const c10::OperatorHandle& op, c10::Stack& stack, std::vector<c10::IValue> results) {
    stack.resize(stack.size() - op.schema().arguments().size());
    stack.insert(stack.end(), std::make_move_iterator(results.begin()),
                 std::make_move_iterator(results.end()));
}

std::optional<c10::OperatorHandle> findOperator(std::string_view target) {
    const ir::OperatorName parts = ir::splitTarget(target);
    if (parts.space.empty()) {
        return std::nullopt;
    }
    const std::string name = std::string(parts.space) + "::" + std::string(parts.name);
    auto& dispatcher = c10::Dispatcher::singleton();
    if (parts.overload.empty()) {
        auto found = dispatcher.findSchema({name, ""});
        return found ? found : onlyOverload(name);
    }
    return dispatcher.findSchema({name, parts.overload == "default" ? "" : std::string(parts.overload)});
}

namespace {

/// The list of tensors that an operator without results changes in place: Inductor's graphs read its items as
/// results.
c10::IValue changedList(const c10::FunctionSchema& schema, const c10::Stack& stack) {
    if (!schema.returns().empty() || stack.empty() || !stack.front().isTensorList()) {
        return {};
    }
    const c10::AliasInfo* alias = schema.arguments().front().alias_info();
    return alias != nullptr && alias->isWrite() ? stack.front() : c10::IValue();
}

} // namespace

c10::IValue callOperator(const c10::OperatorHandle& op, std::vector<c10::IValue> args,
                         const NamedValues& kwargs) {
    c10::Stack stack = matchSchema(op.schema(), std::move(args), kwargs);
    c10::IValue changed = changedList(op.schema(), stack);
    op.callBoxed(stack);
    if (stack.empty()) {
        return changed;
    }
    if (stack.size() == 1) {
        return std::move(stack.front());
    }
    return c10::ivalue::Tuple::create(std::move(stack));
}

c10::IValue callAten(std::string_view target, std::vector<c10::IValue> args, const NamedValues& kwargs) {
    const auto op = findOperator(target);
    if (!op) {
        fail("run.unknown_operator", "LibTorch has no operator " + std::string(target) + ".");
    }
    return callOperator(*op, std::move(args), kwargs);
}

bool runsOn(const c10::OperatorHandle& op, c10::DeviceType device) {
    return op.hasComputedKernelForDispatchKey(device == c10::kCUDA ? c10::DispatchKey::CUDA
                                                                   : c10::DispatchKey::CPU) ||
           // A separate kernel: hasComputedKernel… also counts the fallthrough that all other operators have
           // for this key.
           op.hasKernelForDispatchKey(c10::DispatchKey::BackendSelect);
}

std::vector<std::string> allSchemas() {
    std::vector<std::string> lines;
    auto& dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
        if (const auto op = dispatcher.findSchema(name)) {
            std::ostringstream out;
            out << op->schema();
            lines.push_back(std::move(out).str());
        }
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

} // namespace aotscope::torch
