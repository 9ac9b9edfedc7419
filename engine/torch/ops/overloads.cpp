#include "ops/overloads.h"

#include "dispatch/failure.h"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>

namespace aotscope::torch::ops {

namespace {

using Type = Parameter::Type;

bool isTensorThat(const Value& value, bool integral) {
    const auto* tensor = value.as<at::Tensor>();
    return tensor != nullptr && tensor->dim() == 0 && !tensor->requires_grad() &&
           (!integral || c10::isIntegralType(tensor->scalar_type(), false));
}

bool isIntLike(const Value& value) {
    return value.isInt() || isTensorThat(value, true);
}

bool isRealLike(const Value& value) {
    return value.isFloat() || value.isInt() || value.isBool() || isTensorThat(value, false);
}

template<typename Fits>
bool isSequenceOf(const Value& value, Fits fits, bool all) {
    if (!value.isSequence()) {
        return false;
    }
    const auto items = value.items();
    return all ? std::ranges::all_of(items, fits) : items.empty() || std::invoke(fits, items.front());
}

/// Whether a parameter accepts a value, by the rules of PyTorch's argument parser.
bool accepts(const Parameter& parameter, const Value& value, bool numbersAsTensors) {
    switch (parameter.type) {
    case Type::Tensor:
        return value.isTensor() || (numbersAsTensors && value.isNumber());
    case Type::Scalar:
    case Type::Complex:
        return value.is<c10::complex<double>>() || isRealLike(value);
    case Type::Float:
        return isRealLike(value);
    case Type::Int:
        return isIntLike(value);
    case Type::Bool:
        return value.isBool() || isTensorThat(value, false);
    case Type::String:
        return value.isString();
    case Type::DType:
        return value.is<c10::ScalarType>() || value.is<FunctionReference>();
    case Type::Layout:
        return value.is<c10::Layout>();
    case Type::MemoryFormat:
        return value.is<c10::MemoryFormat>();
    case Type::Device:
        return value.is<c10::Device>() || value.isString() || value.isInt();
    case Type::IntList:
        return isSequenceOf(value, isIntLike, false) || (parameter.listSize > 0 && isIntLike(value));
    case Type::FloatList:
        return isSequenceOf(value, isRealLike, false);
    case Type::ScalarList:
        return isSequenceOf(value, &Value::isNumber, true);
    case Type::BoolList:
        return isSequenceOf(value, &Value::isBool, true);
    case Type::TensorList:
        return isSequenceOf(
            value, [](const Value& item) { return item.isTensor() || item.isNone(); }, true);
    case Type::Generator:
    case Type::Other:
        return false;
    }
    return false;
}

/// NumPy's parameter names, which the bindings accept as well.
bool isOtherName(std::string_view parameter, std::string_view given) {
    return (parameter == "dim" && given == "axis") || (parameter == "keepdim" && given == "keepdims") ||
           (parameter == "input" && (given == "x" || given == "a" || given == "x1" || given == "self")) ||
           (parameter == "other" && given == "x2");
}

const Value* findKeyword(const Keywords& kwargs, std::string_view name) {
    auto found = std::ranges::find_if(kwargs, [&](const auto& each) { return each.first == name; });
    if (found == kwargs.end()) {
        found = std::ranges::find_if(kwargs, [&](const auto& each) { return isOtherName(name, each.first); });
    }
    return found == kwargs.end() ? nullptr : &found->second;
}

/// The values for a signature's parameters; null: the default.
struct Match {
    std::vector<const Value*> values;
    /// All positional arguments as one list, for `x.view(2, 3)`.
    Value gathered;
    const Value* out = nullptr;
};

/// Whether the only list parameter may be written as several arguments.
bool takesVariadicInts(const Signature& signature) {
    return signature.maxPositional == 1 && !signature.parameters.empty() &&
           signature.parameters.front().type == Type::IntList && !signature.parameters.front().keywordOnly;
}

bool matches(const Signature& signature, std::span<const Value> args, const Keywords& kwargs, Match& match) {
    const bool variadic = takesVariadicInts(signature);
    if (args.size() > signature.maxPositional && !variadic) {
        return false;
    }
    match.values.assign(signature.parameters.size(), nullptr);
    match.out = nullptr;
    std::size_t position = 0;
    std::size_t keywordsUsed = 0;
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
        const Parameter& parameter = signature.parameters[i];
        const Value* value = nullptr;
        bool isKeyword = false;
        if (position < args.size()) {
            if (parameter.keywordOnly) {
                return false;
            }
            value = &args[position];
        } else if ((value = findKeyword(kwargs, parameter.name)) != nullptr) {
            isKeyword = true;
        }
        const bool fits = value == nullptr ? parameter.hasDefault
                                           : (value->isNone() && parameter.allowsNone) ||
                                                 accepts(parameter, *value, signature.numbersAsTensors);
        if (fits) {
            match.values[i] = value;
        } else if (value != nullptr && variadic && position == 0 && !isKeyword && isIntLike(*value)) {
            match.gathered = Value::list(Values(args.begin(), args.end()));
            match.values[i] = &match.gathered;
            position = args.size();
            continue;
        } else {
            return false;
        }
        if (isKeyword) {
            ++keywordsUsed;
        } else if (value != nullptr) {
            ++position;
        }
    }
    if (const Value* out = findKeyword(kwargs, "out")) {
        if (!out->isNone() && !signature.outOp) {
            return false;
        }
        match.out = out->isNone() ? nullptr : out;
        ++keywordsUsed;
    }
    return position >= args.size() && keywordsUsed == kwargs.size();
}

c10::IValue defaultOf(const c10::FunctionSchema& schema, const c10::Argument& argument) {
    if (!argument.default_value()) {
        fail("ops.arguments", schema.name() + ": the argument \"" + argument.name() + "\" is missing.");
    }
    return *argument.default_value();
}

/// The stack of the out variant, from the stack of the functional operator.
c10::Stack outStack(const Signature& signature, const c10::Stack& stack, const Value& out) {
    const auto& base = signature.op.schema();
    c10::Stack result;
    std::size_t nextOut = 0;
    for (const c10::Argument& argument : signature.outOp->schema().arguments()) {
        if (const auto index = base.argumentIndexWithName(argument.name())) {
            result.push_back(stack[static_cast<std::size_t>(*index)]);
        } else if (out.isSequence()) {
            result.emplace_back(out.items()[nextOut++].tensor());
        } else {
            result.emplace_back(out.tensor());
        }
    }
    return result;
}

ResolvedCall makeCall(const Signature& signature, const Match& match, const Value* self) {
    const c10::FunctionSchema& schema = signature.op.schema();
    const auto& wanted = schema.arguments();
    std::vector<const Value*> given(wanted.size(), nullptr);
    bool requiresGrad = false;
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
        const Parameter& parameter = signature.parameters[i];
        if (match.values[i] == nullptr) {
            continue;
        }
        if (parameter.schemaIndex >= 0) {
            given[static_cast<std::size_t>(parameter.schemaIndex)] = match.values[i];
        } else if (parameter.name == "requires_grad") {
            requiresGrad = match.values[i]->truth();
        }
    }
    c10::Stack stack;
    stack.reserve(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const c10::Argument& argument = wanted[i];
        const Value* value = given[i];
        if (value == nullptr && self != nullptr && argument.name() == "self") {
            value = self;
        }
        if ((value == nullptr || value->isNone()) && signature.fillsDevice && argument.name() == "device" &&
            match.out == nullptr) {
            stack.emplace_back(c10::Device(c10::kCPU));
        } else if ((value == nullptr || value->isNone()) && signature.fillsPinMemory &&
                   argument.name() == "pin_memory") {
            stack.emplace_back(false);
        } else if (value == nullptr) {
            stack.push_back(defaultOf(schema, argument));
        } else {
            stack.push_back(toIValue(*value, argument.real_type(), argument.N(), signature.numbersAsTensors));
        }
    }
    if (match.out != nullptr) {
        return {*signature.outOp, outStack(signature, stack, *match.out), false};
    }
    return {signature.op, std::move(stack), requiresGrad};
}

[[noreturn]] void failNoOverload(const Binding& binding, std::span<const Value> args,
                                 const Keywords& kwargs) {
    const std::string name = (binding.kind == BindingKind::Function ? "torch." : "Tensor.") + binding.name;
    std::string message =
        name + " has no overload for " + argumentTypes(args, kwargs) + ". The overloads tried:";
    for (const Signature& signature : binding.signatures) {
        message += "\n  " + signature.text;
    }
    fail("ops.no_overload", std::move(message),
         "The log may be of another version of PyTorch than this program's LibTorch.");
}

} // namespace

const Binding* findBinding(std::string_view name, BindingKind kind) {
    // Reading the schemas takes longer than all other work on a call.
    static std::mutex mutex;
    static std::array<std::unordered_map<std::string_view, const Binding>, 2> byKind;
    auto& bindings = byKind[kind == BindingKind::Function ? 0 : 1];
    const std::scoped_lock lock(mutex);
    auto found = bindings.find(name);
    if (found == bindings.end()) {
        // Only ATen's names are kept, so that graphs with others do not fill memory.
        const auto operators = atenOperators().find(std::string(name));
        if (operators == atenOperators().end()) {
            return nullptr;
        }
        found = bindings
                    .emplace(std::string_view(operators->first),
                             Binding{operators->first, kind, signaturesOf(name, kind)})
                    .first;
    }
    return found->second.signatures.empty() ? nullptr : &found->second;
}

ResolvedCall resolve(const Binding& binding, std::span<const Value> args, const Keywords& kwargs) {
    const Value* self = nullptr;
    std::span<const Value> rest = args;
    if (binding.kind == BindingKind::Method) {
        if (args.empty()) {
            failNoOverload(binding, args, kwargs);
        }
        self = &args.front();
        rest = args.subspan(1);
    }
    Match match;
    for (const Signature& signature : binding.signatures) {
        if (matches(signature, rest, kwargs, match)) {
            return makeCall(signature, match, self);
        }
    }
    failNoOverload(binding, args, kwargs);
}

ResolvedCall matchOperator(const c10::OperatorHandle& op, std::span<const Value> args,
                           const Keywords& kwargs) {
    const c10::FunctionSchema& schema = op.schema();
    const auto& wanted = schema.arguments();
    const auto refuse = [&](const std::string& why) {
        fail("ops.arguments",
             schema.name() + " does not take " + argumentTypes(args, kwargs) + ": " + why + ".");
    };
    const std::string& full = schema.name();
    // Optimizers call this primitive with numbers since torch 2.15.
    const bool numbersAsTensors =
        full == "prims::fma" || takesNumbersAsTensors(full.substr(full.find("::") + 2));
    for (const auto& [name, value] : kwargs) {
        const auto index = schema.argumentIndexWithName(name);
        if (!index || static_cast<std::size_t>(*index) < args.size()) {
            refuse("\"" + name + "\" is " + (index ? "given twice" : "no argument of it"));
        }
    }
    c10::Stack stack;
    stack.reserve(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Value* value = nullptr;
        if (i < args.size()) {
            if (wanted[i].kwarg_only()) {
                refuse("too many positional arguments");
            }
            value = &args[i];
        } else {
            const auto given = std::ranges::find_if(
                kwargs, [&](const auto& kwarg) { return kwarg.first == wanted[i].name(); });
            value = given == kwargs.end() ? nullptr : &given->second;
        }
        stack.push_back(value == nullptr
                            ? defaultOf(schema, wanted[i])
                            : toIValue(*value, wanted[i].real_type(), wanted[i].N(), numbersAsTensors));
    }
    if (args.size() > wanted.size()) {
        refuse("too many arguments");
    }
    return {op, std::move(stack), false};
}

} // namespace aotscope::torch::ops
