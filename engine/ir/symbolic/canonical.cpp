// The canonical form of what a text stands for.
#include "ir/symbolic/terms.h"
#include "ir/symbolic/tree.h"

#include <numeric>
#include <utility>

namespace aotscope::ir {

namespace {

std::optional<SymExpr> readTree(const SymExprNode& node, const SymExpr::SymbolReader& read);

std::optional<SymExpr> powerOf(const SymExpr& base, const SymExprNode& exponent) {
    constexpr std::int64_t most = 16;
    const auto* count = std::get_if<std::int64_t>(&exponent.constant);
    if (!exponent.isNumber() || count == nullptr || *count < 1 || *count > most) {
        return std::nullopt;
    }
    SymExpr result = base;
    for (std::int64_t done = 1; done < *count; ++done) {
        result = result * base;
    }
    return result;
}

SymExpr callOf(const std::string& name, std::vector<SymExpr> arguments) {
    if (name == "Min" || name == "Max") {
        const auto extreme = name == "Min" ? SymExpr::minimum : SymExpr::maximum;
        return std::accumulate(arguments.begin() + 1, arguments.end(), arguments.front(), extreme);
    }
    if (name == "FloorDiv") {
        return SymExpr::floorDivide(arguments[0], arguments[1]);
    }
    if (name == "Mod" || name == "PythonMod") {
        return SymExpr::modulo(arguments[0], arguments[1], name == "Mod");
    }
    return SymExpr::call(name, std::move(arguments));
}

std::optional<SymExpr> readTree(const SymExprNode& node, const SymExpr::SymbolReader& read) {
    if (node.isNumber()) {
        const auto* whole = std::get_if<std::int64_t>(&node.constant);
        return whole != nullptr ? SymExpr(*whole) : SymExpr::real(std::get<double>(node.constant));
    }
    if (node.function == SymFunction::Symbol || node.function == SymFunction::Constant) {
        return read(node.name);
    }
    std::vector<SymExpr> parts;
    for (const SymExprNode& child : node.children) {
        auto part = readTree(child, read);
        if (!part) {
            return std::nullopt;
        }
        parts.push_back(*std::move(part));
    }
    if (!node.name.empty()) {
        return callOf(node.name, std::move(parts));
    }
    // From the right: a leading number would be multiplied out with a sum next to it.
    const auto folded = [&](auto combine) {
        return std::accumulate(
            parts.rbegin() + 1, parts.rend(), parts.back(),
            [&](const SymExpr& right, const SymExpr& left) { return combine(left, right); });
    };
    switch (node.function) {
    case SymFunction::Negate:
        return SymExpr(-1) * parts.front();
    case SymFunction::Power:
        return powerOf(parts.front(), node.children.back());
    case SymFunction::FloorDivide:
        return SymExpr::floorDivide(parts.front(), parts.back());
    case SymFunction::Add:
        return folded(std::plus<>());
    case SymFunction::Multiply:
        return folded(std::multiplies<>());
    default:
        return std::nullopt;
    }
}

} // namespace

std::optional<SymExpr> SymExpr::substituted(const SymbolReader& read) const {
    const SymExprNode* root = tree();
    return root == nullptr ? std::nullopt : readTree(*root, read);
}

std::optional<SymExpr> SymExpr::canonical(const NumberSymbols& numbers) const {
    auto expression = substituted([&](const std::string& name) { return symbol(name, numbers); });
    return expression && expression->text() == text() ? expression : std::nullopt;
}

} // namespace aotscope::ir
