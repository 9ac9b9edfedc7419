#include "passes/symbolic_values.h"

#include "base/formatted.h"
#include "ir/cursor.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace aotscope::passes {
namespace {

ir::SymExpr oneTerm(const ir::SymMonomial& monomial, const ir::SymNumber& coefficient) {
    ir::SymTerms term;
    term.emplace(monomial, coefficient);
    return ir::SymExpr(std::move(term));
}

/// sympy's order of terms and factors: numbers, symbols, powers, products, sums, functions.
int rankOf(const ir::SymExpr& expression) {
    if (numberOf(expression)) {
        return 0;
    }
    const ir::SymTerms& terms = expression.terms();
    const ir::SymAtom* atom = terms.loneAtom();
    if (terms.size() > 1 || (atom != nullptr && atom->isSum())) {
        return 4;
    }
    if (atom != nullptr) {
        return atom->function() == nullptr && ir::isIdentifier(atom->text()) ? 1 : 5;
    }
    const auto& [monomial, coefficient] = *terms.begin();
    return monomial.size() == 1 && coefficient.isWhole(1) ? 2 : 3;
}

/// Exact, and in sympy's order of floats: by sign, by the odd integer in them, by the power of two beside it.
std::string keyOfFloat(double number) {
    if (!std::isfinite(number)) {
        return base::formatted("%a", number);
    }
    constexpr int digits = std::numeric_limits<double>::digits;
    int exponent = 0;
    const auto whole =
        static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(number), &exponent), digits));
    const int zeros = whole == 0 ? 0 : std::countr_zero(whole);
    // A point, so that it cannot collide with an integer's key.
    return base::formatted("%d.%016llx.%04d", std::signbit(number) ? 1 : 0,
                           static_cast<unsigned long long>(whole >> zeros), exponent + zeros + 2000);
}

class Reader {
public:
    explicit Reader(const ir::Graph& graph) : m_graph(graph), m_values(graph.idBound()) {}

    std::vector<SymbolicValue> read() {
        for (const ir::NodeId id : m_graph.order()) {
            const ir::Node& node = m_graph.node(id);
            if (const auto* symbolic = std::get_if<ir::SymbolicMeta>(&node.value)) {
                m_values[id.index()] = valueOf(node, *symbolic);
            }
        }
        return std::move(m_values);
    }

private:
    SymbolicValue valueOf(const ir::Node& node, const ir::SymbolicMeta& meta) const {
        if (SymbolicValue made = arithmetic(node); !made.expression.empty()) {
            // Where the floats cancel, an integer is left.
            made.real = made.real && !made.expression.constant();
            return made;
        }
        const ir::NodeId* read = node.tryArg<ir::NodeId>(0);
        const ir::TensorMeta* tensor = read == nullptr ? nullptr : ir::asTensor(m_graph.node(*read).value);
        const bool real = ir::Operator(node.target).is(ir::Trait::ReadsNumber) && tensor != nullptr
                              ? ir::dtypeShortName(tensor->dtype).find('f') != std::string_view::npos
                              : meta.kind == ir::SymbolicMeta::Kind::Float;
        return {ir::SymExpr(meta.expression.text()), real};
    }

    /// Empty: not a number.
    SymbolicValue operand(const ir::Argument& argument) const {
        if (const auto* node = argument.as<ir::NodeId>()) {
            return m_values[node->index()];
        }
        if (const auto* integer = argument.as<std::int64_t>()) {
            return {ir::SymExpr(*integer), false};
        }
        const auto* real = argument.as<double>();
        return real == nullptr ? SymbolicValue() : SymbolicValue{ir::SymExpr::real(*real), true};
    }

    /// Empty: not an arithmetic operation with a canonical form here.
    SymbolicValue arithmetic(const ir::Node& node) const {
        std::vector<ir::SymExpr> operands;
        bool real = false;
        for (const ir::Argument& argument : node.args) {
            SymbolicValue value = operand(argument);
            if (value.expression.empty()) {
                return {};
            }
            real = real || value.real;
            operands.push_back(std::move(value.expression));
        }
        const std::string_view target = node.target;
        if (operands.size() == 1) {
            constexpr std::string_view function = "torch._sym_";
            if (target.starts_with(function)) {
                const std::string name(target.substr(function.size()));
                return {ir::SymExpr::call("OpaqueUnaryFn_" + name, std::move(operands)), true};
            }
            return target == "torch.sym_float"
                       ? SymbolicValue{ir::SymExpr::call("ToFloat", std::move(operands)), true}
                   : target == "_operator.neg" ? SymbolicValue{ir::SymExpr(-1) * operands[0], real}
                                               : SymbolicValue();
        }
        if (operands.size() != 2) {
            return {};
        }
        // Python converts an integer operand to a float if the other one is a float.
        for (ir::SymExpr& part : operands) {
            if (const auto whole = part.constant(); real && whole) {
                part = ir::SymExpr::real(static_cast<double>(*whole));
            }
        }
        if (target == "_operator.mul") {
            return {operands[0] * operands[1], real};
        }
        if (target == "_operator.add") {
            return {operands[0] + operands[1], real};
        }
        if (target == "_operator.sub") {
            return {operands[0] + ir::SymExpr(-1) * operands[1], real};
        }
        if (target == "_operator.pow" && real) {
            return {ir::SymExpr::call("FloatPow", std::move(operands)), true};
        }
        if (target == "_operator.truediv") {
            return {ir::SymExpr::call(real ? "FloatTrueDiv" : "IntTrueDiv", std::move(operands)), true};
        }
        return target == "_operator.floordiv" && !real
                   ? SymbolicValue{ir::SymExpr::call("FloorDiv", std::move(operands)), false}
                   : SymbolicValue();
    }

    const ir::Graph& m_graph;
    std::vector<SymbolicValue> m_values;
};

} // namespace

std::vector<SymbolicValue> symbolicValues(const ir::Graph& graph) {
    return Reader(graph).read();
}

std::optional<ir::SymNumber> numberOf(const ir::SymExpr& expression) {
    const ir::SymTerms& terms = expression.terms();
    if (terms.empty()) {
        return 0;
    }
    const auto& [monomial, coefficient] = *terms.begin();
    return terms.size() == 1 && monomial.empty() ? std::optional(coefficient) : std::nullopt;
}

ir::SymCall operationOf(const ir::SymExpr& expression) {
    const ir::SymTerms& terms = expression.terms();
    const ir::SymAtom* atom = terms.loneAtom();
    if (atom != nullptr && atom->function() != nullptr) {
        return atom->isSum() ? operationOf(atom->function()->arguments.front()) : *atom->function();
    }
    if (atom != nullptr || numberOf(expression)) {
        return {};
    }
    const auto& [monomial, coefficient] = *terms.begin();
    if (rankOf(expression) == 2) {
        return {"Pow", {oneTerm({{monomial.begin()->first, 1}}, 1), ir::SymExpr(monomial.begin()->second)}};
    }
    ir::SymCall operation{terms.size() > 1 ? "Add" : "Mul", {}};
    if (terms.size() > 1) {
        for (const auto& [factors, count] : terms) {
            operation.arguments.push_back(oneTerm(factors, count));
        }
    } else {
        if (!coefficient.isWhole(1)) {
            operation.arguments.push_back(oneTerm({}, coefficient));
        }
        for (const auto& factor : monomial) {
            operation.arguments.push_back(oneTerm({factor}, 1));
        }
    }
    std::ranges::stable_sort(operation.arguments, {},
                             [](const ir::SymExpr& part) { return std::pair(rankOf(part), keyOf(part)); });
    return operation;
}

std::string keyOf(const ir::SymExpr& expression) {
    if (const auto number = numberOf(expression)) {
        return number->isWhole() ? number->text() : keyOfFloat(number->value());
    }
    const ir::SymCall operation = operationOf(expression);
    if (operation.name.empty()) {
        return expression.text();
    }
    std::string key = operation.name + "(";
    for (const ir::SymExpr& part : operation.arguments) {
        key += keyOf(part) + ",";
    }
    return key + ")";
}

} // namespace aotscope::passes
