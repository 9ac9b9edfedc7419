#include "ops/binding_types.h"

#include "base/mapped.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace aotscope::torch::ops {

namespace {

/// A signature with its sort key.
struct Candidate {
    Signature signature;
    /// The parameter types as native_functions.yaml names them.
    std::vector<std::string> types;
    std::string sortKey;
};

bool writesOut(const c10::Argument& argument) {
    return argument.kwarg_only() && argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

bool isOutVariant(const c10::FunctionSchema& schema) {
    return std::ranges::any_of(schema.arguments(), writesOut);
}

/// Whether Python's bindings have the overload. They lack those over dimension names (Dynamo has no named
/// tensors), TorchScript's `hacked_twin` overloads, and the Scalar overloads of the four arithmetic
/// functions, whose Tensor overloads accept numbers.
bool isBound(const c10::OperatorHandle& op) {
    const c10::OperatorName& name = op.operator_name();
    const std::string& overload = name.overload_name;
    if (overload.find("ame") != std::string::npos || overload.find("hacked_twin") != std::string::npos) {
        return false;
    }
    static const std::set<std::string, std::less<>> arithmetic = {"aten::add",  "aten::add_", "aten::sub",
                                                                  "aten::sub_", "aten::mul",  "aten::mul_",
                                                                  "aten::div",  "aten::div_"};
    return !(arithmetic.contains(name.name) && overload.starts_with("Scalar"));
}

Candidate makeCandidate(const c10::OperatorHandle& op, std::string_view name, BindingKind kind,
                        std::span<const std::string_view> deprecatedOrder) {
    const c10::FunctionSchema& schema = op.schema();
    Candidate candidate{Signature{.op = op}, {}, std::string(name) + "("};
    Signature& signature = candidate.signature;
    signature.numbersAsTensors = takesNumbersAsTensors(name);
    signature.deprecated = !deprecatedOrder.empty();
    bool hasOptions = false;
    bool star = false;
    const auto add = [&](std::size_t index) {
        const c10::Argument& argument = schema.arguments()[index];
        const TypeParts parts = partsOf(argument.real_type());
        Parameter parameter;
        parameter.name = argument.name();
        parameter.type = parameterType(parts);
        parameter.listSize = parts.isList && argument.N() ? *argument.N() : 0;
        parameter.hasDefault = !signature.deprecated && argument.default_value().has_value();
        parameter.allowsNone =
            parts.isOptional || (parameter.hasDefault && argument.default_value()->isNone());
        parameter.keywordOnly = !signature.deprecated && argument.kwarg_only();
        parameter.schemaIndex = static_cast<int>(index);
        hasOptions = hasOptions || parameter.name == "pin_memory";
        if (signature.parameters.empty() && kind == BindingKind::Function && parameter.name == "self" &&
            parameter.type == Parameter::Type::Tensor) {
            parameter.name = "input";
        }
        candidate.sortKey += candidate.sortKey.back() == '(' ? "" : ", ";
        if (parameter.keywordOnly && !star) {
            candidate.sortKey += "*, ";
            star = true;
        }
        candidate.sortKey += bindingType(parts, argument.N()) + " " + parameter.name;
        if (parameter.hasDefault) {
            std::ostringstream text;
            text << *argument.default_value();
            candidate.sortKey += "=" + std::move(text).str();
        }
        candidate.types.push_back(yamlType(parts, argument.N()));
        signature.parameters.push_back(std::move(parameter));
    };
    const auto isSelf = [&](std::size_t index) {
        return kind == BindingKind::Method && schema.arguments()[index].name() == "self";
    };
    if (signature.deprecated) {
        for (const std::string_view wanted : deprecatedOrder) {
            const auto index = schema.argumentIndexWithName(std::string(wanted));
            if (index && !isSelf(static_cast<std::size_t>(*index))) {
                add(static_cast<std::size_t>(*index));
            }
        }
    } else {
        for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
            if (!isSelf(i) && !writesOut(schema.arguments()[i])) {
                add(i);
            }
        }
    }
    if (hasOptions) {
        signature.parameters.push_back({.name = "requires_grad",
                                        .type = Parameter::Type::Bool,
                                        .hasDefault = true,
                                        .keywordOnly = true});
    }
    signature.fillsPinMemory = hasOptions;
    signature.fillsDevice = hasOptions && !name.ends_with("_like") && kind == BindingKind::Function;
    signature.maxPositional = static_cast<std::size_t>(std::ranges::count_if(
        signature.parameters, [](const Parameter& parameter) { return !parameter.keywordOnly; }));
    candidate.sortKey += ")";
    signature.text = candidate.sortKey;
    return candidate;
}

/// Whether a parameter of type `left` is to be tried after one of type `right`.
bool isNarrower(std::string_view left, std::string_view right) {
    const auto isList = [](std::string_view type) { return type.find("[]") != std::string_view::npos; };
    return (left == "Scalar" && right == "Tensor") || (left == "Scalar?" && right == "Tensor?") ||
           (left == "int[]" && (right == "int" || right == "int?")) ||
           (left == "Tensor[]" && isList(right)) || (left == "SymInt[]" && right == "int[]") ||
           ((left == "SymInt" || left == "int") && right == "Tensor");
}

bool comesAfter(const Candidate& left, const Candidate& right) {
    if (left.types.size() != right.types.size()) {
        return false;
    }
    bool equal = true;
    for (std::size_t i = 0; i < left.types.size(); ++i) {
        if (left.types[i] != right.types[i]) {
            equal = false;
            if (!isNarrower(left.types[i], right.types[i])) {
                return false;
            }
        }
    }
    return !equal;
}

/// Sorts by text, then topologically: of two signatures that accept the same call, the more specific comes
/// first (gen_python_functions.py: sort_overloads).
void order(std::vector<Candidate>& candidates) {
    std::ranges::sort(candidates, [](const Candidate& left, const Candidate& right) {
        return left.sortKey < right.sortKey;
    });
    std::map<std::size_t, std::set<std::size_t>> waitsFor;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        for (std::size_t j = 0; j < candidates.size(); ++j) {
            if (comesAfter(candidates[i], candidates[j])) {
                waitsFor[i].insert(j);
            }
        }
    }
    std::vector<std::size_t> sorted;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!waitsFor.contains(i)) {
            sorted.push_back(i);
        }
    }
    for (std::size_t next = 0; next < sorted.size(); ++next) {
        for (auto it = waitsFor.begin(); it != waitsFor.end();) {
            it->second.erase(sorted[next]);
            if (it->second.empty()) {
                sorted.push_back(it->first);
                it = waitsFor.erase(it);
            } else {
                ++it;
            }
        }
    }
    auto result = base::mapped(sorted, [&](const std::size_t index) { return std::move(candidates[index]); });
    candidates = std::move(result);
    std::stable_partition(candidates.begin(), candidates.end(),
                          [](const Candidate& candidate) { return !candidate.signature.deprecated; });
}

/// Deprecated argument orders that the bindings still accept: a scalar in front of the tensor that it scales
/// (tools/autograd/deprecated.yaml). All products that are added to `self` have them.
std::vector<std::vector<std::string_view>> deprecatedOrders(std::string_view name,
                                                            const c10::FunctionSchema& schema) {
    const auto& all = schema.arguments();
    if (all.size() == 5 && all[3].name() == "beta" && all[4].name() == "alpha") {
        return {{"beta", "self", "alpha", all[1].name(), all[2].name()},
                {"beta", "self", all[1].name(), all[2].name()}};
    }
    if (name.ends_with('_')) {
        name.remove_suffix(1);
    }
    if (name == "add" || name == "sub") {
        return {{"self", "alpha", "other"}};
    }
    if (name == "addcdiv" || name == "addcmul") {
        return {{"self", "value", "tensor1", "tensor2"}};
    }
    return {};
}

/// Attaches to each signature its out variant: the operator with the same arguments that writes to `out`.
void attachOutVariants(std::vector<Candidate>& candidates, std::span<const c10::OperatorHandle> operators) {
    for (const c10::OperatorHandle& op : operators) {
        const c10::FunctionSchema& schema = op.schema();
        if (!isOutVariant(schema) || !isBound(op)) {
            continue;
        }
        std::vector<std::string> names;
        std::vector<std::string> types;
        for (const c10::Argument& argument : schema.arguments()) {
            if (!writesOut(argument)) {
                names.push_back(argument.name());
                types.push_back(yamlType(partsOf(argument.real_type()), argument.N()));
            }
        }
        for (Candidate& candidate : candidates) {
            const auto& base = candidate.signature.op.schema().arguments();
            std::size_t matched = 0;
            std::size_t comparable = 0;
            for (const c10::Argument& argument : base) {
                const bool option = argument.name() == "dtype" || argument.name() == "layout" ||
                                    argument.name() == "device" || argument.name() == "pin_memory";
                const bool present = matched < names.size() && names[matched] == argument.name() &&
                                     types[matched] == yamlType(partsOf(argument.real_type()), argument.N());
                matched += present ? 1 : 0;
                comparable += present || !option ? 1 : 0;
            }
            if (matched == names.size() && comparable == matched) {
                candidate.signature.outOp = op;
            }
        }
    }
}

} // namespace

bool takesNumbersAsTensors(std::string_view name) {
    static const std::set<std::string, std::less<>> names = {
        "add",          "add_",          "add_out",      "div",
        "div_",         "div_out",       "divide",       "divide_",
        "divide_out",   "mul",           "mul_",         "mul_out",
        "multiply",     "multiply_",     "multiply_out", "sub",
        "sub_",         "sub_out",       "subtract",     "subtract_",
        "subtract_out", "true_divide",   "true_divide_", "true_divide_out",
        "to",           "_to_copy",      "copy_",        "copy",
        "floor_divide", "floor_divide_", "_conj",        "floor_divide_out"};
    return names.contains(name);
}

const std::unordered_map<std::string, std::vector<c10::OperatorHandle>>& atenOperators() {
    static const auto operators = [] {
        std::unordered_map<std::string, std::vector<c10::OperatorHandle>> byName;
        auto& dispatcher = c10::Dispatcher::singleton();
        constexpr std::string_view space = "aten::";
        for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
            if (!name.name.starts_with(space)) {
                continue;
            }
            if (const auto op = dispatcher.findSchema(name)) {
                byName[name.name.substr(space.size())].push_back(*op);
            }
        }
        for (auto& [name, overloads] : byName) {
            std::ranges::sort(overloads, [](const auto& left, const auto& right) {
                return left.operator_name().overload_name < right.operator_name().overload_name;
            });
        }
        return byName;
    }();
    return operators;
}

std::vector<Signature> signaturesOf(std::string_view name, BindingKind kind) {
    const auto found = atenOperators().find(std::string(name));
    if (found == atenOperators().end()) {
        return {};
    }
    std::vector<Candidate> candidates;
    for (const c10::OperatorHandle& op : found->second) {
        const c10::FunctionSchema& schema = op.schema();
        if (isOutVariant(schema) || !isBound(op)) {
            continue;
        }
        const auto self = schema.argumentIndexWithName("self");
        const bool hasSelf =
            self && schema.arguments()[static_cast<std::size_t>(*self)].real_type()->kind() ==
                        c10::TypeKind::TensorType;
        if (kind == BindingKind::Method && !hasSelf) {
            continue;
        }
        candidates.push_back(makeCandidate(op, name, kind, {}));
        const bool isTensorForm =
            op.operator_name().overload_name.empty() || op.operator_name().overload_name == "Tensor";
        if (isTensorForm) {
            for (const auto& names : deprecatedOrders(name, schema)) {
                candidates.push_back(makeCandidate(op, name, kind, names));
            }
        }
    }
    attachOutVariants(candidates, found->second);
    order(candidates);
    return base::mapped(candidates, [](Candidate& candidate) { return std::move(candidate.signature); });
}

} // namespace aotscope::torch::ops
