#include "ops/python_operators.h"

#include "base/mapped.h"
#include "dispatch/python_functions.h"
#include "fake/shape_environment.h"

#include <algorithm>

/// Arithmetic on Python numbers: symbolic ones through their SymNodes, plain ones by Python's rules.
namespace aotscope::torch::ops {

namespace {

c10::SymNode symbolicNode(const Value& value) {
    if (const auto* number = value.as<c10::SymInt>()) {
        return number->is_symbolic() ? number->toSymNode() : nullptr;
    }
    if (const auto* number = value.as<c10::SymFloat>()) {
        return number->is_symbolic() ? number->toSymNodeImpl() : nullptr;
    }
    if (const auto* truth = value.as<c10::SymBool>()) {
        return truth->toSymNodeImpl();
    }
    return nullptr;
}

bool isSymbolic(const Value& value) {
    return symbolicNode(value) != nullptr;
}

c10::SymNode nodeLike(const Value& value, const c10::SymNode& base) {
    if (c10::SymNode node = symbolicNode(value)) {
        return node;
    }
    if (value.isBool()) {
        return base->wrap_bool(value.truth());
    }
    return value.isInt() ? base->wrap_int(value.integer()) : base->wrap_float(value.real());
}

Value fromNode(c10::SymNode node) {
    if (node->is_bool()) {
        return c10::SymBool(std::move(node));
    }
    if (node->is_int()) {
        return c10::SymInt(std::move(node));
    }
    return c10::SymFloat(std::move(node));
}

std::optional<c10::SymNode> symbolicBinary(std::string_view name, const c10::SymNode& a,
                                           const c10::SymNode& b, bool integers) {
    using Method = c10::SymNode (c10::SymNodeImpl::*)(const c10::SymNode&);
    static const std::pair<std::string_view, Method> methods[] = {
        {"add", &c10::SymNodeImpl::add},         {"sub", &c10::SymNodeImpl::sub},
        {"mul", &c10::SymNodeImpl::mul},         {"mod", &c10::SymNodeImpl::mod},
        {"eq", &c10::SymNodeImpl::eq},           {"ne", &c10::SymNodeImpl::ne},
        {"lt", &c10::SymNodeImpl::lt},           {"le", &c10::SymNodeImpl::le},
        {"gt", &c10::SymNodeImpl::gt},           {"ge", &c10::SymNodeImpl::ge},
        {"and_", &c10::SymNodeImpl::sym_and},    {"or_", &c10::SymNodeImpl::sym_or},
        {"max", &c10::SymNodeImpl::sym_max},     {"min", &c10::SymNodeImpl::sym_min},
        {"sym_max", &c10::SymNodeImpl::sym_max}, {"sym_min", &c10::SymNodeImpl::sym_min},
    };
    for (const auto& [known, method] : methods) {
        if (known == name) {
            return ((*a).*method)(b);
        }
    }
    if (name == "truediv") {
        return integers ? a->int_truediv(b) : a->float_truediv(b);
    }
    if (name == "floordiv") {
        return integers ? a->int_floordiv(b) : a->floordiv(b);
    }
    if (name == "pow") {
        return integers ? a->pow_by_natural(b) : a->float_pow(b);
    }
    return std::nullopt;
}

std::optional<Value> symbolicUnary(std::string_view name, const Value& value) {
    const c10::SymNode node = symbolicNode(value);
    if (name == "neg") {
        return fromNode(node->neg());
    }
    if (name == "pos") {
        return value;
    }
    if (name == "not_" || name == "sym_not") {
        return fromNode(node->sym_not());
    }
    const bool isCeil = name == "ceil" || name == "math.ceil";
    if (isCeil || name == "floor" || name == "math.floor") {
        return value.isInt() ? value : fromNode(isCeil ? node->ceil() : node->floor());
    }
    if (name == "sym_int" || name == "int" || name == "round") {
        auto* const symbolic = dynamic_cast<SymbolicNode*>(node.get());
        return value.isInt()         ? std::optional(value)
               : symbolic == nullptr ? std::nullopt
               : name == "round"     ? std::optional(Value(symbolic->rounded()))
                                     : std::optional(Value(symbolic->truncated()));
    }
    if (name == "sym_float" || name == "float") {
        return value.isFloat() ? value : fromNode(node->sym_float());
    }
    if (name.starts_with("_sym_")) {
        const c10::SymNode real = value.isFloat() ? node : node->sym_float();
        auto* const symbolic = dynamic_cast<SymbolicNode*>(real.get());
        const auto result = symbolic == nullptr ? std::nullopt : symbolic->mathFunction(name);
        return result ? std::optional(Value(*result)) : std::nullopt;
    }
    if (name == "abs") {
        return (value.isInt() ? value.integer() < 0 : value.real() < 0) ? fromNode(node->neg()) : value;
    }
    return std::nullopt;
}

std::optional<Value> symbolicFunction(std::string_view name, const Values& args) {
    if (args.size() == 1) {
        return symbolicUnary(name, args[0]);
    }
    if (name == "sym_ite" && args.size() == 3) {
        return args[0].truth() ? args[1] : args[2];
    }
    if (name == "sym_sum" && args.size() > 2) {
        std::optional<Value> sum = args[0];
        for (std::size_t i = 1; sum && i < args.size(); ++i) {
            sum = numberFunction("add", {*sum, args[i]});
        }
        return sum;
    }
    if (args.size() != 2) {
        return std::nullopt;
    }
    const c10::SymNode base = symbolicNode(args[0]) ? symbolicNode(args[0]) : symbolicNode(args[1]);
    c10::SymNode left = nodeLike(args[0], base);
    c10::SymNode right = nodeLike(args[1], base);
    const bool integers = args[0].isInt() && args[1].isInt();
    if (left->is_float() != right->is_float() && !left->is_bool() && !right->is_bool()) {
        left = left->is_float() ? left : left->sym_float();
        right = right->is_float() ? right : right->sym_float();
    }
    if (auto node = symbolicBinary(name, left, right, integers)) {
        return fromNode(*std::move(node));
    }
    return std::nullopt;
}

/// `torch.sym_sum`: integers are added in one node.
std::optional<Value> sumOf(std::span<const Value> items) {
    const auto symbolic = std::ranges::find_if(items, [](const Value& item) {
        const auto* integer = item.as<c10::SymInt>();
        return integer != nullptr && asSymbolic(*integer) != nullptr;
    });
    const bool whole = std::ranges::all_of(items, [](const Value& item) { return item.isInt(); });
    if (symbolic != items.end() && whole) {
        auto terms = base::mapped(items, [](const Value& item) { return item.symInt(); });
        return Value(asSymbolic(*symbolic->as<c10::SymInt>())->environment().symSum(terms));
    }
    Value sum = 0;
    for (const Value& item : items) {
        const auto next = numberFunction("add", {sum, item});
        if (!next) {
            return std::nullopt;
        }
        sum = *next;
    }
    return sum;
}

c10::IValue plainIValue(const Value& value) {
    if (value.isBool()) {
        return value.truth();
    }
    if (value.isInt()) {
        return value.integer();
    }
    return value.real();
}

} // namespace

std::optional<Value> numberFunction(std::string_view name, const Values& args) {
    if (name == "sym_sum" && args.size() == 1 && args[0].isSequence()) {
        return sumOf(args[0].items());
    }
    if (!std::ranges::all_of(args, [](const Value& value) { return value.isNumber(); })) {
        return std::nullopt;
    }
    if (const auto plain = plainOfInPlace(name)) {
        name = *plain;
    }
    if (std::ranges::any_of(args, isSymbolic)) {
        // With a plain left operand, PyTorch calls the method of the symbolic right one.
        const bool swaps =
            (name == "sym_max" || name == "sym_min") && args.size() == 2 && !isSymbolic(args[0]);
        if (auto result = symbolicFunction(name, swaps ? Values{args[1], args[0]} : args)) {
            return result;
        }
    }
    std::vector<c10::IValue> plain;
    for (const Value& arg : args) {
        if (arg.is<c10::complex<double>>()) {
            return std::nullopt;
        }
        plain.push_back(plainIValue(arg));
    }
    const std::string_view known = name == "int" ? "sym_int" : name == "float" ? "sym_float" : name;
    const std::string target =
        known.starts_with("math.") ? std::string(known) : "_operator." + std::string(known);
    return fromIValue(callPythonFunction(target, plain, {}), true);
}

} // namespace aotscope::torch::ops
