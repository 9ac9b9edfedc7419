#include "passes/symbolic_values.h"

#include "base/formatted.h"
#include "ir/operators/operator.h"

#include <algorithm>
#include <map>
#include <utility>

namespace aotscope::passes {
namespace {

using Kind = SymbolicValue::Kind;
using Number = std::variant<std::int64_t, double>;
using Parts = std::vector<SymbolicValuePtr>;

double asReal(const Number& number) {
    return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

template<typename Compute>
Number computed(const Number& left, const Number& right, Compute compute) {
    const auto* a = std::get_if<std::int64_t>(&left);
    const auto* b = std::get_if<std::int64_t>(&right);
    return a != nullptr && b != nullptr ? Number(compute(*a, *b))
                                        : Number(compute(asReal(left), asReal(right)));
}

SymbolicValuePtr number(const Number& value) {
    auto made = std::make_shared<SymbolicValue>();
    made->kind = Kind::Number;
    made->number = value;
    made->real = std::holds_alternative<double>(value);
    made->key = std::visit([](auto given) { return std::to_string(given); }, value);
    if (made->real) {
        // Hexadecimal is exact and cannot collide with an integer's key.
        made->key = base::formatted("%a", std::get<double>(value));
    }
    return made;
}

SymbolicValuePtr named(Kind kind, std::string text, bool real) {
    auto made = std::make_shared<SymbolicValue>();
    made->kind = kind;
    made->real = real;
    made->key = std::move(text);
    return made;
}

SymbolicValuePtr composed(Kind kind, std::string_view name, Parts parts, bool real) {
    auto made = std::make_shared<SymbolicValue>();
    made->kind = kind;
    made->real = real;
    made->key = std::string(name) + "(";
    for (const SymbolicValuePtr& part : parts) {
        made->key += part->key + ",";
    }
    made->key += ")";
    made->parts = std::move(parts);
    return made;
}

SymbolicValuePtr functionOf(std::string_view name, SymbolicValuePtr operand) {
    auto made = std::make_shared<SymbolicValue>(
        *composed(Kind::Function, "OpaqueUnaryFn_" + std::string(name), {std::move(operand)}, true));
    made->function = name;
    return made;
}

bool anyReal(const Parts& parts) {
    return std::ranges::any_of(parts, [](const SymbolicValuePtr& part) { return part->real; });
}

/// sympy's order of terms and factors: numbers, symbols, powers, products, sums, functions.
int rank(const SymbolicValue& value) {
    switch (value.kind) {
    case Kind::Number:
        return 0;
    case Kind::Symbol:
        return 1;
    case Kind::Power:
        return 2;
    case Kind::Product:
        return 3;
    case Kind::Sum:
        return 4;
    default:
        return 5;
    }
}

void order(Parts& parts) {
    std::ranges::stable_sort(parts, [](const SymbolicValuePtr& left, const SymbolicValuePtr& right) {
        const auto place = [](const SymbolicValue& value) { return std::pair(rank(value), value.key); };
        return place(*left) < place(*right);
    });
}

SymbolicValuePtr sum(const Parts& terms);

SymbolicValuePtr product(const Parts& factors) {
    Number coefficient = std::int64_t{1};
    std::map<std::string, std::pair<SymbolicValuePtr, std::int64_t>> powers;
    const auto take = [&](const auto& self, const SymbolicValuePtr& factor) -> void {
        if (factor->kind == Kind::Number) {
            coefficient = computed(coefficient, factor->number, [](auto a, auto b) { return a * b; });
        } else if (factor->kind == Kind::Product) {
            for (const SymbolicValuePtr& part : factor->parts) {
                self(self, part);
            }
        } else {
            const bool power = factor->kind == Kind::Power;
            const SymbolicValuePtr& base = power ? factor->parts[0] : factor;
            auto& known = powers.try_emplace(base->key, base, 0).first->second;
            known.second += power ? std::get<std::int64_t>(factor->parts[1]->number) : 1;
        }
    };
    for (const SymbolicValuePtr& factor : factors) {
        take(take, factor);
    }
    Parts parts;
    for (const auto& [key, power] : powers) {
        parts.push_back(power.second == 1 ? power.first
                                          : composed(Kind::Power, "Pow", {power.first, number(power.second)},
                                                     power.first->real));
    }
    const bool isOne = coefficient == Number(std::int64_t{1});
    if (parts.size() == 1 && parts[0]->kind == Kind::Sum && !isOne) {
        Parts terms;
        for (const SymbolicValuePtr& term : parts[0]->parts) {
            terms.push_back(product({number(coefficient), term}));
        }
        return sum(terms);
    }
    order(parts);
    if (parts.empty() || !isOne) {
        parts.insert(parts.begin(), number(coefficient));
    }
    return parts.size() == 1 ? parts[0] : composed(Kind::Product, "Mul", parts, anyReal(parts));
}

/// Splits a term into its numeric coefficient and the rest.
std::pair<Number, SymbolicValuePtr> counted(const SymbolicValuePtr& term) {
    if (term->kind != Kind::Product || term->parts[0]->kind != Kind::Number) {
        return {std::int64_t{1}, term};
    }
    return {term->parts[0]->number, product(Parts(term->parts.begin() + 1, term->parts.end()))};
}

SymbolicValuePtr sum(const Parts& terms) {
    Number rest = std::int64_t{0};
    std::map<std::string, std::pair<SymbolicValuePtr, Number>> counts;
    const auto plus = [](auto a, auto b) { return a + b; };
    const auto take = [&](const auto& self, const SymbolicValuePtr& term) -> void {
        if (term->kind == Kind::Number) {
            rest = computed(rest, term->number, plus);
        } else if (term->kind == Kind::Sum) {
            for (const SymbolicValuePtr& part : term->parts) {
                self(self, part);
            }
        } else {
            const auto [count, what] = counted(term);
            auto& known = counts.try_emplace(what->key, what, Number(std::int64_t{0})).first->second;
            known.second = computed(known.second, count, plus);
        }
    };
    for (const SymbolicValuePtr& term : terms) {
        take(take, term);
    }
    Parts parts;
    for (const auto& [key, count] : counts) {
        if (asReal(count.second) != 0) {
            parts.push_back(product({number(count.second), count.first}));
        }
    }
    order(parts);
    if (parts.empty() || asReal(rest) != 0) {
        parts.insert(parts.begin(), number(rest));
    }
    return parts.size() == 1 ? parts[0] : composed(Kind::Sum, "Add", parts, anyReal(parts));
}

bool isName(std::string_view text) {
    return !text.empty() &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_'; }) &&
           !std::isdigit(static_cast<unsigned char>(text.front()));
}

class Reader {
public:
    explicit Reader(const ir::Graph& graph) : m_graph(graph), m_values(graph.idBound()) {}

    std::vector<SymbolicValuePtr> read() {
        for (const ir::NodeId id : m_graph.order()) {
            const ir::Node& node = m_graph.node(id);
            if (const auto* symbolic = std::get_if<ir::SymbolicMeta>(&node.value)) {
                m_values[id.index()] = valueOf(node, *symbolic);
            }
        }
        return std::move(m_values);
    }

private:
    SymbolicValuePtr valueOf(const ir::Node& node, const ir::SymbolicMeta& meta) const {
        if (auto made = arithmetic(node)) {
            return made;
        }
        const std::string text(meta.expression.text());
        const ir::NodeId* read = node.args.empty() ? nullptr : node.args[0].as<ir::NodeId>();
        const ir::TensorMeta* tensor = read == nullptr ? nullptr : ir::asTensor(m_graph.node(*read).value);
        const bool real = ir::Operator(node.target).is(ir::Trait::ReadsNumber) && tensor != nullptr
                              ? ir::dtypeShortName(tensor->dtype).find('f') != std::string_view::npos
                              : meta.kind == ir::SymbolicMeta::Kind::Float;
        return named(isName(text) ? Kind::Symbol : Kind::Other, text, real);
    }

    /// The value of an operand; null: not a number.
    SymbolicValuePtr operand(const ir::Argument& argument) const {
        if (const auto* node = argument.as<ir::NodeId>()) {
            return m_values[node->index()];
        }
        if (const auto* integer = argument.as<std::int64_t>()) {
            return number(*integer);
        }
        const auto* real = argument.as<double>();
        return real == nullptr ? nullptr : number(*real);
    }

    /// Null: not an arithmetic operation with a canonical form here.
    SymbolicValuePtr arithmetic(const ir::Node& node) const {
        Parts operands;
        for (const ir::Argument& argument : node.args) {
            operands.push_back(operand(argument));
            if (operands.back() == nullptr) {
                return nullptr;
            }
        }
        if (operands.size() == 1) {
            constexpr std::string_view function = "torch._sym_";
            if (node.target.starts_with(function)) {
                return functionOf(std::string_view(node.target).substr(function.size()), operands[0]);
            }
            return node.target == "torch.sym_float" ? composed(Kind::ToFloat, "ToFloat", operands, true)
                   : node.target == "_operator.neg" ? product({number(std::int64_t{-1}), operands[0]})
                                                    : nullptr;
        }
        if (operands.size() != 2) {
            return nullptr;
        }
        // Python converts an integer operand to a float if the other one is a float.
        const bool real = anyReal(operands);
        for (SymbolicValuePtr& part : operands) {
            if (real && part->kind == Kind::Number) {
                part = number(asReal(part->number));
            }
        }
        if (node.target == "_operator.mul") {
            return product(operands);
        }
        if (node.target == "_operator.add") {
            return sum(operands);
        }
        if (node.target == "_operator.sub") {
            return sum({operands[0], product({number(std::int64_t{-1}), operands[1]})});
        }
        if (node.target == "_operator.pow" && real) {
            return composed(Kind::FloatPower, "FloatPow", operands, true);
        }
        if (node.target == "_operator.truediv") {
            return real ? composed(Kind::TrueQuotient, "FloatTrueDiv", operands, true)
                        : composed(Kind::IntQuotient, "IntTrueDiv", operands, true);
        }
        return node.target == "_operator.floordiv" && !real
                   ? composed(Kind::FloorQuotient, "FloorDiv", operands, false)
                   : nullptr;
    }

    const ir::Graph& m_graph;
    std::vector<SymbolicValuePtr> m_values;
};

} // namespace

std::vector<SymbolicValuePtr> symbolicValues(const ir::Graph& graph) {
    return Reader(graph).read();
}

} // namespace aotscope::passes
