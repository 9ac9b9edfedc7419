#include "fake/shape_environment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace aotscope::torch {

const SymbolicNode& SymbolicNode::of(const c10::SymNode& node) {
    const auto* found = dynamic_cast<const SymbolicNode*>(node.get());
    TORCH_CHECK(found != nullptr, "a symbolic number of another trace");
    return *found;
}

template<typename Compute>
c10::SymNode SymbolicNode::combine(const char* operation, Kind kind, ir::SymExpr expression,
                                   const c10::SymNode& other, Compute compute) {
    std::vector<double> values;
    const SymbolicNode& right = of(other);
    const std::size_t count = std::max(m_values.size(), right.m_values.size());
    for (std::size_t k = 0; k < count; ++k) {
        values.push_back(compute(value(k), right.value(k)));
    }
    return reported(operation, kind, std::move(expression), std::move(values), {clone(), other});
}

template<typename Compute>
c10::SymNode SymbolicNode::apply(const char* operation, Kind kind, ir::SymExpr expression, Compute compute) {
    std::vector<double> values(m_values.size());
    std::ranges::transform(m_values, values.begin(), compute);
    return reported(operation, kind, std::move(expression), std::move(values), {clone()});
}

c10::SymNode SymbolicNode::reported(const char* operation, Kind kind, ir::SymExpr expression,
                                    std::vector<double> values, std::vector<c10::SymNode> operands) {
    c10::SymNode result =
        m_environment.node(kind, std::move(expression), std::move(values),
                           {operation, std::move(operands), m_environment.recordsArithmetic});
    if (m_environment.recordsArithmetic && m_environment.onComputed) {
        m_environment.onComputed(result);
    }
    return result;
}

template<typename Compute>
c10::SymNode SymbolicNode::compare(const char* operation, ir::SymRelation::Kind relation,
                                   const c10::SymNode& other, Compute compute) {
    return combine(operation, Kind::Bool,
                   ir::SymRelation{relation, m_expression, of(other).m_expression}.guard(), other,
                   [&](double a, double b) { return compute(a, b) ? 1.0 : 0.0; });
}

namespace {

SymbolicNode::Kind resultKind(const SymbolicNode& left, const SymbolicNode& right) {
    return left.kind() == SymbolicNode::Kind::Float || right.kind() == SymbolicNode::Kind::Float
               ? SymbolicNode::Kind::Float
               : SymbolicNode::Kind::Int;
}

} // namespace

c10::SymNode SymbolicNode::add(const c10::SymNode& other) {
    return combine("add", resultKind(*this, of(other)), m_expression + of(other).m_expression, other,
                   std::plus<>());
}

c10::SymNode SymbolicNode::sub(const c10::SymNode& other) {
    return combine("sub", resultKind(*this, of(other)), m_expression - of(other).m_expression, other,
                   std::minus<>());
}

c10::SymNode SymbolicNode::mul(const c10::SymNode& other) {
    const SymbolicNode& right = of(other);
    // PyTorch records nothing for a factor of one.
    if (m_kind == Kind::Int && m_expression.constant() == 1) {
        return other;
    }
    if (right.m_kind == Kind::Int && right.m_expression.constant() == 1) {
        return c10::intrusive_ptr<SymNodeImpl>::reclaim_copy(this);
    }
    return combine("mul", resultKind(*this, right), m_expression * right.m_expression, other,
                   [](double a, double b) { return a * b; });
}

c10::SymNode SymbolicNode::truediv(const c10::SymNode& other) {
    const SymbolicNode& right = of(other);
    const std::string name = resultKind(*this, right) == Kind::Float ? "FloatTrueDiv" : "IntTrueDiv";
    return combine("truediv", Kind::Float, ir::SymExpr::call(name, {m_expression, right.m_expression}), other,
                   [](double a, double b) { return a / b; });
}

c10::SymNode SymbolicNode::pow(const c10::SymNode& other) {
    const SymbolicNode& right = of(other);
    const auto power = right.m_expression.constant();
    const auto compute = [](double a, double b) { return std::pow(a, b); };
    if (resultKind(*this, right) == Kind::Float) {
        const c10::SymNode exponent =
            right.m_kind == Kind::Int && power ? wrap_float(static_cast<double>(*power)) : other;
        return combine("pow", Kind::Float,
                       ir::SymExpr::call("FloatPow", {m_expression, of(exponent).m_expression}), other,
                       compute);
    }
    ir::SymExpr expression = ir::SymExpr(m_expression.text() + "**" + right.m_expression.text());
    if (power && *power >= 0 && *power <= 16) {
        expression = ir::SymExpr(1);
        for (std::int64_t i = 0; i < *power; ++i) {
            expression = expression * m_expression;
        }
    }
    return combine("pow", Kind::Int, std::move(expression), other, compute);
}

c10::SymNode SymbolicNode::floordiv(const c10::SymNode& other) {
    return combine("floordiv", Kind::Int, ir::SymExpr::floorDivide(m_expression, of(other).m_expression),
                   other, [](double a, double b) { return std::floor(a / b); });
}

c10::SymNode SymbolicNode::mod(const c10::SymNode& other) {
    const ir::SymExpr& right = of(other).m_expression;
    const bool nonnegative =
        m_environment.knownNonnegative(m_expression) && m_environment.knownNonnegative(right);
    return combine("mod", Kind::Int, ir::SymExpr::modulo(m_expression, right, nonnegative), other,
                   [](double a, double b) { return a - std::floor(a / b) * b; });
}

c10::SymNode SymbolicNode::eq(const c10::SymNode& other) {
    return compare("eq", ir::SymRelation::Kind::Equal, other, std::equal_to<>());
}
c10::SymNode SymbolicNode::ne(const c10::SymNode& other) {
    return compare("ne", ir::SymRelation::Kind::NotEqual, other, std::not_equal_to<>());
}
c10::SymNode SymbolicNode::gt(const c10::SymNode& other) {
    return compare("gt", ir::SymRelation::Kind::Greater, other, std::greater<>());
}
c10::SymNode SymbolicNode::lt(const c10::SymNode& other) {
    return compare("lt", ir::SymRelation::Kind::Less, other, std::less<>());
}
c10::SymNode SymbolicNode::le(const c10::SymNode& other) {
    return compare("le", ir::SymRelation::Kind::LessEqual, other, std::less_equal<>());
}
c10::SymNode SymbolicNode::ge(const c10::SymNode& other) {
    return compare("ge", ir::SymRelation::Kind::GreaterEqual, other, std::greater_equal<>());
}

c10::SymNode SymbolicNode::ceil() {
    return apply("ceil", Kind::Int, ir::SymExpr::call("CeilToInt", {m_expression}),
                 [](double number) { return std::ceil(number); });
}

c10::SymNode SymbolicNode::floor() {
    return apply("floor", Kind::Int, ir::SymExpr::call("FloorToInt", {m_expression}),
                 [](double number) { return std::floor(number); });
}

c10::SymNode SymbolicNode::neg() {
    return apply("neg", m_kind, ir::SymExpr(0) - m_expression, std::negate<>());
}

c10::SymNode SymbolicNode::sym_min(const c10::SymNode& other) {
    const SymbolicNode& right = of(other);
    return combine("sym_min", resultKind(*this, right),
                   ir::SymExpr::minimum(m_expression, right.m_expression), other,
                   [](double a, double b) { return std::min(a, b); });
}

c10::SymNode SymbolicNode::sym_max(const c10::SymNode& other) {
    const SymbolicNode& right = of(other);
    return combine("sym_max", resultKind(*this, right),
                   ir::SymExpr::maximum(m_expression, right.m_expression), other,
                   [](double a, double b) { return std::max(a, b); });
}

c10::SymNode SymbolicNode::sym_or(const c10::SymNode& other) {
    return combine("or_", Kind::Bool,
                   ir::SymExpr(m_expression.text() + " | " + of(other).m_expression.text()), other,
                   [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; });
}

c10::SymNode SymbolicNode::sym_and(const c10::SymNode& other) {
    return combine("and_", Kind::Bool,
                   ir::SymExpr(m_expression.text() + " & " + of(other).m_expression.text()), other,
                   [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; });
}

c10::SymNode SymbolicNode::sym_not() {
    std::vector<double> values(m_values.size());
    std::ranges::transform(m_values, values.begin(), [](double truth) { return truth == 0 ? 1.0 : 0.0; });
    return m_environment.node(Kind::Bool, ir::negation(m_expression), std::move(values),
                              {"sym_not", {clone()}, false});
}

c10::SymNode SymbolicNode::sym_ite(const c10::SymNode& thenValue, const c10::SymNode& elseValue) {
    return guard_bool(__FILE__, __LINE__) ? thenValue : elseValue;
}

c10::SymNode SymbolicNode::clone() {
    return c10::intrusive_ptr<SymNodeImpl>::reclaim_copy(this);
}

c10::SymNode SymbolicNode::sym_float() {
    if (const auto number = m_kind == Kind::Int ? m_expression.constant() : std::nullopt) {
        return wrap_float(static_cast<double>(*number));
    }
    return apply("sym_float", Kind::Float, ir::SymExpr::call("ToFloat", {m_expression}), std::identity());
}

namespace {

/// The functions of Python's math that PyTorch records on symbolic floats, as `torch.` and these names.
struct MathFunction {
    const char* name;
    double (*compute)(double);
};
constexpr std::array<MathFunction, 11> mathFunctions = {{
    {"_sym_sqrt", std::sqrt},
    {"_sym_cos", std::cos},
    {"_sym_cosh", std::cosh},
    {"_sym_sin", std::sin},
    {"_sym_sinh", std::sinh},
    {"_sym_tan", std::tan},
    {"_sym_tanh", std::tanh},
    {"_sym_asin", std::asin},
    {"_sym_acos", std::acos},
    {"_sym_atan", std::atan},
    {"_sym_log2", std::log2},
}};

} // namespace

std::optional<c10::SymFloat> SymbolicNode::mathFunction(std::string_view name) {
    const auto known = std::ranges::find_if(
        mathFunctions, [name](const MathFunction& function) { return name == function.name; });
    if (known == mathFunctions.end()) {
        return std::nullopt;
    }
    const std::string plain(name.substr(std::string_view("_sym_").size()));
    return c10::SymFloat(apply(known->name, Kind::Float,
                               ir::SymExpr::call("OpaqueUnaryFn_" + plain, {m_expression}), known->compute));
}

c10::SymInt SymbolicNode::truncated() {
    return c10::SymInt(apply("trunc", Kind::Int, ir::SymExpr::call("TruncToInt", {m_expression}),
                             [](double number) { return std::trunc(number); }));
}

c10::SymInt SymbolicNode::rounded() {
    return c10::SymInt(apply("round", Kind::Int, ir::SymExpr::call("RoundToInt", {m_expression}),
                             [](double number) { return std::nearbyint(number); }));
}

c10::SymNode SymbolicNode::wrap_int(std::int64_t number) {
    return m_environment.node(Kind::Int, ir::SymExpr(number), {static_cast<double>(number)});
}

c10::SymNode SymbolicNode::wrap_float(double number) {
    return m_environment.node(Kind::Float, ir::SymExpr::real(number), {number});
}

c10::SymNode SymbolicNode::wrap_bool(bool flag) {
    return m_environment.node(Kind::Bool, ir::SymExpr(flag ? "True" : "False"), {flag ? 1.0 : 0.0});
}

std::optional<std::int64_t> SymbolicNode::constant_int() {
    return m_kind == Kind::Int ? m_expression.constant() : std::nullopt;
}

} // namespace aotscope::torch
