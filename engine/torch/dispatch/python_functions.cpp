#include "dispatch/python_functions.h"

#include "base/joined.h"
#include "dispatch/failure.h"
#include "dispatch/map_tensors.h"
#include "dispatch/python_numbers.h"

#include "ir/operator_name.h"

#include <cmath>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Args = std::vector<IValue>;
using python::isNumber;
using python::numberOperation;
using python::real;
using python::unaryNumber;

[[noreturn]] void unsupported(std::string_view name, const Args& args) {
    std::string kinds = base::joined(args, ", ", &IValue::tagKind);
    fail("run.arguments",
         "The Python function " + std::string(name) + " is not defined for (" + kinds + ").");
}

/// Python's operators and the ATen overloads that do the same on tensors.
IValue tensorOperation(std::string_view name, const Args& args) {
    static const std::pair<std::string_view, std::pair<const char*, const char*>> binary[] = {
        {"add", {"aten.add.Tensor", nullptr}},
        {"sub", {"aten.sub.Tensor", "aten.rsub.Scalar"}},
        {"mul", {"aten.mul.Tensor", nullptr}},
        {"truediv", {"aten.div.Tensor", nullptr}},
        {"floordiv", {"aten.floor_divide.default", nullptr}},
        {"mod", {"aten.remainder.Tensor", "aten.remainder.Scalar_Tensor"}},
        {"pow", {"aten.pow.Tensor_Tensor", "aten.pow.Scalar"}},
        {"matmul", {"aten.matmul.default", nullptr}},
        {"and_", {"aten.bitwise_and.Tensor", nullptr}},
        {"or_", {"aten.bitwise_or.Tensor", nullptr}},
        {"xor", {"aten.bitwise_xor.Tensor", nullptr}},
        {"eq", {"aten.eq.Tensor", nullptr}},
        {"ne", {"aten.ne.Tensor", nullptr}},
        {"lt", {"aten.lt.Tensor", nullptr}},
        {"le", {"aten.le.Tensor", nullptr}},
        {"gt", {"aten.gt.Tensor", nullptr}},
        {"ge", {"aten.ge.Tensor", nullptr}},
        {"iadd", {"aten.add_.Tensor", nullptr}},
        {"isub", {"aten.sub_.Tensor", nullptr}},
        {"imul", {"aten.mul_.Tensor", nullptr}},
        {"itruediv", {"aten.div_.Tensor", nullptr}},
    };
    if (args.size() == 1) {
        if (name == "neg" || name == "abs") {
            return callAten(name == "neg" ? "aten.neg.default" : "aten.abs.default", args);
        }
        if (name == "invert") {
            return callAten("aten.bitwise_not.default", args);
        }
        if (name == "pos") {
            return args[0];
        }
    }
    if (args.size() == 2) {
        for (const auto& [python, overloads] : binary) {
            if (python != name) {
                continue;
            }
            if (!args[0].isTensor() && name == "sub") {
                return callAten(overloads.second, {args[1], args[0]});
            }
            const bool reflected = !args[0].isTensor() && overloads.second != nullptr;
            return callAten(reflected ? overloads.second : overloads.first, args);
        }
    }
    unsupported(name, args);
}

IValue getItem(const IValue& container, const IValue& key) {
    if (!key.isInt()) {
        unsupported("getitem", {container, key});
    }
    if (container.isTuple() || container.isList()) {
        const c10::ArrayRef<IValue> items = itemsIn(container);
        const auto size = static_cast<std::int64_t>(items.size());
        const std::int64_t index = key.toInt() + (key.toInt() < 0 ? size : 0);
        if (index < 0 || index >= size) {
            fail("run.index", "Element " + std::to_string(key.toInt()) + " was asked for; there are " +
                                  std::to_string(size) + ".");
        }
        return items[static_cast<std::size_t>(index)];
    }
    if (container.isTensor() && container.toTensor().defined()) {
        return callAten("aten.select.int", {container, std::int64_t{0}, key});
    }
    unsupported("getitem", {container, key});
}

std::optional<IValue> symbolicFunction(std::string_view name, const Args& args) {
    if ((name == "sym_max" || name == "max" || name == "sym_min" || name == "min") && args.size() == 2) {
        const bool greater = real(args[0]) >= real(args[1]);
        const bool wantsGreater = name == "sym_max" || name == "max";
        const IValue& chosen = greater == wantsGreater ? args[0] : args[1];
        // One float makes the answer a float, as in PyTorch.
        return args[0].isDouble() || args[1].isDouble() ? IValue(real(chosen)) : chosen;
    }
    if (name == "sym_ite" && args.size() == 3 && args[0].isBool()) {
        return args[0].toBool() ? args[1] : args[2];
    }
    return std::nullopt;
}

IValue symbolicSum(const IValue& items) {
    IValue total = std::int64_t{0};
    for (const IValue& item : itemsIn(items)) {
        auto sum = isNumber(item) ? numberOperation("add", total, item) : std::nullopt;
        if (!sum) {
            unsupported("sym_sum", itemsIn(items).vec());
        }
        total = *sum;
    }
    return total;
}

std::string_view moduleOf(std::string_view target) {
    const std::size_t dot = target.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : target.substr(0, dot);
}

} // namespace

bool isPythonFunction(std::string_view target) {
    const std::string_view module = moduleOf(target);
    if (module == "_operator" || module == "operator" || module == "math" || module == "builtins") {
        return true;
    }
    if (module.empty()) {
        return target == "getitem" || target == "max" || target == "min" || target == "round" ||
               target == "abs";
    }
    const std::string_view name = target.substr(module.size() + 1);
    return module == "torch" && (name.starts_with("sym_") || name.starts_with("_sym_"));
}

IValue callPythonFunction(std::string_view target, const Args& args, const NamedValues& kwargs) {
    const std::string_view name = ir::lastPart(target);
    if (!kwargs.empty()) {
        fail("run.arguments", "The Python function " + std::string(target) + " takes no argument \"" +
                                  kwargs.front().first + "\".");
    }
    if (name == "getitem" && args.size() == 2) {
        return getItem(args[0], args[1]);
    }
    if (name == "sym_sum" && args.size() == 1 && (args[0].isTuple() || args[0].isList())) {
        return symbolicSum(args[0]);
    }
    if (name == "round" && args.size() == 2 && args[1].isNone()) {
        return callPythonFunction(target, {args[0]}, kwargs); // to an integer
    }
    bool allNumbers = !args.empty();
    bool anyTensor = false;
    for (const IValue& arg : args) {
        allNumbers = allNumbers && isNumber(arg);
        anyTensor = anyTensor || arg.isTensor();
    }
    if (anyTensor) {
        return tensorOperation(name, args);
    }
    if (allNumbers) {
        std::optional<IValue> result = symbolicFunction(name, args);
        if (!result && args.size() == 1) {
            result = unaryNumber(name, args[0]);
        } else if (!result && args.size() == 2) {
            result = numberOperation(name, args[0], args[1]);
        }
        if (result) {
            return *result;
        }
    }
    unsupported(target, args);
}

} // namespace aotscope::torch
