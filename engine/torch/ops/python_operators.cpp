#include "ops/python_operators.h"

#include "dispatch/failure.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace aotscope::torch::ops {

namespace {

/// A binary operator on tensors: the method of a left tensor, and the function for a tensor on the right
/// only.
struct TensorOperator {
    std::string_view name;
    std::string_view method;
    Value (*reflected)(Calls&, const Value& left, const Value& right);
};

template<FixedText Name>
Value swapped(Calls& calls, const Value& left, const Value& right) {
    return calls.method(Name.view(), {right, left});
}
template<FixedText Name>
Value swappedFunction(Calls& calls, const Value& left, const Value& right) {
    return calls.torch(Name.view(), {right, left});
}
template<FixedText Name>
Value asFunction(Calls& calls, const Value& left, const Value& right) {
    return calls.torch(Name.view(), {left, right});
}
Value reflectedDivision(Calls& calls, const Value& left, const Value& right) {
    return calls.method("mul", {calls.method("reciprocal", {right}), left});
}
const std::array binaryOperators = {
    TensorOperator{"add", "add", swapped<"add">},
    TensorOperator{"sub", "sub", swappedFunction<"rsub">},
    TensorOperator{"mul", "mul", swapped<"mul">},
    TensorOperator{"truediv", "div", reflectedDivision},
    TensorOperator{"floordiv", "floor_divide", asFunction<"floor_divide">},
    TensorOperator{"mod", "remainder", asFunction<"remainder">},
    TensorOperator{"pow", "pow", asFunction<"pow">},
    TensorOperator{"matmul", "matmul", asFunction<"matmul">},
    TensorOperator{"and_", "__and__", swappedFunction<"bitwise_and">},
    TensorOperator{"or_", "__or__", swappedFunction<"bitwise_or">},
    TensorOperator{"xor", "__xor__", swappedFunction<"bitwise_xor">},
    TensorOperator{"lshift", "__lshift__", asFunction<"bitwise_left_shift">},
    TensorOperator{"rshift", "__rshift__", asFunction<"bitwise_right_shift">},
    TensorOperator{"eq", "eq", swapped<"eq">},
    TensorOperator{"ne", "ne", swapped<"ne">},
    TensorOperator{"lt", "lt", swapped<"gt">},
    TensorOperator{"le", "le", swapped<"ge">},
    TensorOperator{"gt", "gt", swapped<"lt">},
    TensorOperator{"ge", "ge", swapped<"le">},
};

struct NamePair {
    std::string_view name;
    std::string_view method;
};
constexpr std::array inPlaceMethods = {
    NamePair{"iadd", "add_"},     NamePair{"isub", "sub_"},           NamePair{"imul", "mul_"},
    NamePair{"itruediv", "div_"}, NamePair{"imod", "remainder_"},     NamePair{"ifloordiv", "floor_divide_"},
    NamePair{"ipow", "pow_"},     NamePair{"iand", "__iand__"},       NamePair{"ior", "__ior__"},
    NamePair{"ixor", "__ixor__"}, NamePair{"ilshift", "__ilshift__"}, NamePair{"irshift", "__irshift__"}};
constexpr std::array unaryMethods = {NamePair{"neg", "neg"}, NamePair{"abs", "abs"},
                                     NamePair{"pos", "positive"}, NamePair{"invert", "bitwise_not"},
                                     NamePair{"inv", "bitwise_not"}};
/// Python functions on sequences and objects.
constexpr std::array<std::string_view, 18> otherFunctions = {
    "getitem", "setitem", "contains",      "is_", "is_not", "truth", "not_",   "len",         "tuple",
    "list",    "bool",    "builtins.bool", "min", "max",    "sum",   "concat", "length_hint", "index"};

bool sameObject(const Value& left, const Value& right) {
    if (left.isNone() || right.isNone()) {
        return left.isNone() && right.isNone();
    }
    if (left.isTensor() && right.isTensor()) {
        return left.tensor().is_same(right.tensor());
    }
    if (left.is<bool>() && right.is<bool>()) {
        return left.truth() == right.truth();
    }
    fail("ops.type", "\"is\" is not known between " + left.typeName() + " and " + right.typeName() + ".");
}

/// == of values other than tensors.
bool equalValues(const Value& left, const Value& right) {
    if (left.isNumber() && right.isNumber()) {
        const auto equal = numberFunction("eq", {left, right});
        return equal && equal->truth();
    }
    if (left.isSequence() && right.isSequence()) {
        const auto a = left.items();
        const auto b = right.items();
        return std::ranges::equal(a, b, equalValues);
    }
    if (left.isString() && right.isString()) {
        return left.string() == right.string();
    }
    if (const auto* dtype = left.as<c10::ScalarType>()) {
        return right.is<c10::ScalarType>() && *dtype == right.dtype();
    }
    if (const auto* device = left.as<c10::Device>()) {
        return right.is<c10::Device>() && *device == *right.as<c10::Device>();
    }
    return left.isNone() && right.isNone();
}

Value extreme(Calls& calls, std::string_view name, const Values& args) {
    const std::span<const Value> items = args.size() == 1 ? args.front().items() : std::span(args);
    if (items.empty()) {
        fail("ops.arguments", std::string(name) + " of nothing.");
    }
    Value result = items.front();
    for (const Value& item : items.subspan(1)) {
        result = callPythonOperator(calls, name == "min" ? "sym_min" : "sym_max", {result, item});
    }
    return result;
}

std::int64_t lengthOf(const Value& value) {
    if (value.isTensor()) {
        return value.tensor().size(0);
    }
    if (const auto* dict = value.as<Dict>()) {
        return static_cast<std::int64_t>(dict->items->size());
    }
    return static_cast<std::int64_t>(value.items().size());
}

Value listOrTuple(Values items, bool isList) {
    return isList ? Value::list(std::move(items)) : Value::tuple(std::move(items));
}

/// Functions other than arithmetic and tensor operators; nullopt for arguments of other kinds.
std::optional<Value> sequenceFunction(Calls& calls, std::string_view name, const Values& args) {
    if (name == "getitem" && args.size() == 2) {
        return getItem(calls, args[0], args[1]);
    }
    if (name == "setitem" && args.size() == 3) {
        setItem(calls, args[0], args[1], args[2]);
        return Value();
    }
    if ((name == "is_" || name == "is_not") && args.size() == 2) {
        return sameObject(args[0], args[1]) == (name == "is_");
    }
    if ((name == "truth" || name == "bool" || name == "builtins.bool") && args.size() == 1) {
        return args[0].isTensor() ? args[0].tensor().item().toBool() : args[0].truth();
    }
    if (name == "not_" && args.size() == 1 && !args[0].is<c10::SymBool>()) {
        return !args[0].truth();
    }
    if ((name == "len" || name == "length_hint") && !args.empty()) {
        return lengthOf(args[0]);
    }
    if ((name == "tuple" || name == "list") && args.size() == 1) {
        const auto items = args[0].items();
        return listOrTuple({items.begin(), items.end()}, name == "list");
    }
    if ((name == "min" || name == "max") && (args.size() > 2 || (args.size() == 1 && args[0].isSequence()))) {
        return extreme(calls, name, args);
    }
    if (name == "sum" && !args.empty() && args[0].isSequence()) {
        Value total = args.size() > 1 ? args[1] : Value(0);
        for (const Value& item : args[0].items()) {
            total = callPythonOperator(calls, "add", {total, item});
        }
        return total;
    }
    if (args.size() == 2 && args[0].isSequence() && args[1].isSequence() &&
        (name == "add" || name == "iadd" || name == "concat")) {
        const auto left = args[0].items();
        const auto right = args[1].items();
        Values joined(left.begin(), left.end());
        joined.insert(joined.end(), right.begin(), right.end());
        return listOrTuple(std::move(joined), args[0].is<List>());
    }
    if (args.size() == 2 && args[0].isSequence() && args[1].isInt() && name == "mul") {
        Values joined;
        for (std::int64_t i = 0; i < args[1].integer(); ++i) {
            joined.insert(joined.end(), args[0].items().begin(), args[0].items().end());
        }
        return listOrTuple(std::move(joined), args[0].is<List>());
    }
    const bool others =
        std::ranges::none_of(args, [](const Value& value) { return value.isNumber() || value.isTensor(); });
    if ((name == "eq" || name == "ne") && args.size() == 2 && others) {
        return equalValues(args[0], args[1]) == (name == "eq");
    }
    if (name == "contains" && args.size() == 2 && args[0].isSequence()) {
        const auto items = args[0].items();
        return std::ranges::any_of(items, [&](const Value& item) { return equalValues(item, args[1]); });
    }
    return std::nullopt;
}

/// An operator with at least one tensor operand; nullopt for other names.
std::optional<Value> tensorOperator(Calls& calls, std::string_view name, const Values& args) {
    if (args.size() == 1) {
        const auto* unary = findNamed(unaryMethods, name);
        return unary == nullptr ? std::nullopt : std::optional(calls.method(unary->method, {args[0]}));
    }
    if (args.size() != 2) {
        return std::nullopt;
    }
    const auto* inPlace = findNamed(inPlaceMethods, name);
    if (inPlace != nullptr && args[0].isTensor()) {
        return calls.method(inPlace->method, {args[0], args[1]});
    }
    if (const auto* known = findNamed(binaryOperators, plainOfInPlace(name).value_or(name))) {
        if (args[0].isTensor()) {
            return known->name == "floordiv" ? calls.torch(known->method, {args[0], args[1]})
                                             : calls.method(known->method, {args[0], args[1]});
        }
        return known->reflected(calls, args[0], args[1]);
    }
    return std::nullopt;
}

/// "add" for "__add__"; empty for other names.
std::string_view specialName(std::string_view name) {
    return name.starts_with("__") && name.ends_with("__") ? name.substr(2, name.size() - 4)
                                                          : std::string_view();
}

/// The operator of a special method: "and_" for "and".
std::string_view operatorNamed(std::string_view plain) {
    return plain == "and" ? "and_" : plain == "or" ? "or_" : plain;
}

} // namespace

std::optional<std::string_view> plainOfInPlace(std::string_view name) {
    if (findNamed(inPlaceMethods, name) != nullptr || name == "imatmul") {
        const std::string_view plain = name.substr(1);
        return operatorNamed(plain);
    }
    return std::nullopt;
}

std::optional<std::string_view> pythonOperatorName(std::string_view target) {
    for (const std::string_view module : {"_operator.", "operator.", "builtins.", "math."}) {
        if (target.starts_with(module)) {
            return module == "math." ? target : target.substr(module.size());
        }
    }
    if (target.starts_with("torch.sym_") || target.starts_with("torch._sym_")) {
        return target.substr(6);
    }
    return std::nullopt;
}

bool knowsPythonOperator(std::string_view name) {
    if (findNamed(binaryOperators, name) != nullptr || plainOfInPlace(name) ||
        findNamed(unaryMethods, name) != nullptr ||
        std::ranges::find(otherFunctions, name) != otherFunctions.end()) {
        return true;
    }
    const std::string_view plain = name.starts_with("math.") ? name.substr(5) : name;
    static constexpr std::array<std::string_view, 30> numeric = {
        "sym_int", "sym_float", "sym_max", "sym_min", "sym_not", "sym_ite", "sym_sum", "sym_sqrt",
        "floor",   "ceil",      "trunc",   "round",   "sqrt",    "exp",     "log",     "log2",
        "sin",     "cos",       "tan",     "pow",     "int",     "float",   "abs",     "fabs",
        "asin",    "acos",      "atan",    "sinh",    "cosh",    "tanh"};
    return std::ranges::find(numeric, plain) != numeric.end() || plain.starts_with("_sym_");
}

Value callPythonOperator(Calls& calls, std::string_view name, Values args) {
    if (auto result = sequenceFunction(calls, name, args)) {
        return *std::move(result);
    }
    const bool hasTensor = std::ranges::any_of(args, [](const Value& value) { return value.isTensor(); });
    if (hasTensor) {
        if ((name == "int" || name == "float" || name == "index") && args.size() == 1) {
            const Value item = calls.method("item", {args[0]});
            return name == "float"  ? Value(item.symFloat())
                   : item.isFloat() ? callPythonOperator(calls, "sym_int", {item})
                                    : item;
        }
        if (auto result = tensorOperator(calls, name, args)) {
            return *std::move(result);
        }
    } else if (auto result = numberFunction(name, args)) {
        return *std::move(result);
    }
    fail("ops.no_overload",
         "Python's " + std::string(name) + " is not known for " + argumentTypes(args, {}) + ".");
}

bool isTensorOperatorMethod(std::string_view name) {
    const std::string_view plain = specialName(name);
    if (plain.empty()) {
        return false;
    }
    if (plain == "getitem" || plain == "setitem" || plain == "len") {
        return true;
    }
    constexpr std::array<std::string_view, 10> ofBinding = {"and",  "or",  "xor",  "lshift",  "rshift",
                                                            "iand", "ior", "ixor", "ilshift", "irshift"};
    if (std::ranges::find(ofBinding, plain) != ofBinding.end()) {
        return false;
    }
    if (plain.starts_with('r') && findNamed(binaryOperators, plain.substr(1)) != nullptr) {
        return true;
    }
    return plain == "rand" || plain == "ror" || plain == "div" || plain == "rdiv" || plain == "bool" ||
           plain == "int" || plain == "float" || plain == "index" ||
           findNamed(binaryOperators, plain) != nullptr || plainOfInPlace(plain) ||
           findNamed(unaryMethods, plain) != nullptr;
}

std::optional<Value> tensorOperatorMethod(Calls& calls, std::string_view name, const Values& args) {
    if (!isTensorOperatorMethod(name)) {
        return std::nullopt;
    }
    std::string_view plain = specialName(name);
    const bool reflected = plain.starts_with('r') && plain != "rshift" && args.size() == 2 &&
                           (findNamed(binaryOperators, plain.substr(1)) != nullptr || plain == "rand" ||
                            plain == "ror" || plain == "rdiv");
    if (reflected) {
        plain = plain.substr(1);
    }
    plain = plain == "div" ? "truediv" : operatorNamed(plain);
    if (reflected) {
        return findNamed(binaryOperators, plain)->reflected(calls, args[1], args[0]);
    }
    return callPythonOperator(calls, plain, args);
}

Value methodOfOther(Calls& calls, std::string_view name, Values args, const Keywords& kwargs) {
    const Value& object = args.front();
    if (const std::string_view special = specialName(name); !special.empty() && kwargs.empty()) {
        const std::string_view plain = operatorNamed(special);
        if (plain.starts_with('r') && knowsPythonOperator(plain.substr(1)) && args.size() == 2) {
            return callPythonOperator(calls, plain.substr(1), {args[1], args[0]});
        }
        if (knowsPythonOperator(plain)) {
            return callPythonOperator(calls, plain, std::move(args));
        }
    }
    if (object.isSequence() && name == "numel") {
        Value product = 1;
        for (const Value& size : object.items()) {
            product = callPythonOperator(calls, "mul", {product, size});
        }
        return product;
    }
    if (object.isSequence() && (name == "index" || name == "count") && args.size() == 2) {
        std::int64_t count = 0;
        for (std::size_t i = 0; i < object.items().size(); ++i) {
            if (equalValues(object.items()[i], args[1])) {
                if (name == "index") {
                    return i;
                }
                ++count;
            }
        }
        if (name == "count") {
            return count;
        }
    }
    if (const auto* list = object.as<List>(); list != nullptr && args.size() == 2) {
        if (name == "append") {
            list->items->push_back(args[1]);
            return {};
        }
        if (name == "extend") {
            const auto more = args[1].items();
            list->items->insert(list->items->end(), more.begin(), more.end());
            return {};
        }
    }
    if (const auto* dict = object.as<Dict>()) {
        Values result;
        for (const auto& [key, value] : *dict->items) {
            result.push_back(name == "keys" ? key : name == "values" ? value : Value::tuple({key, value}));
        }
        if (name == "keys" || name == "values" || name == "items") {
            return Value::list(std::move(result));
        }
        if (name == "get" && (args.size() == 2 || args.size() == 3)) {
            const Value* entry = entryOf(*dict, args[1]);
            return entry != nullptr ? *entry : args.size() == 3 ? args[2] : Value();
        }
    }
    if ((name == "item" || name == "is_integer") && object.isNumber()) {
        return name == "item" ? object : Value(object.isInt() || object.real() == std::floor(object.real()));
    }
    fail("ops.unknown_function",
         "The method " + std::string(name) + argumentTypes(args, kwargs) + " is not known.");
}

} // namespace aotscope::torch::ops
