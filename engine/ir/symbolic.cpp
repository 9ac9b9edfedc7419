#include "ir/symbolic.h"

#include "ir/symbolic_tree.h"

#include <algorithm>
#include <mutex>

namespace aotscope::ir {

/// In symbolic_evaluator.cpp.
base::Result<SymbolValue> evaluateSymbolic(const SymExprNode& tree, const SymbolBindings& bindings);

/// Most expressions of a graph are only printed, so the tree is parsed on first use.
struct SymExpr::Shared {
    explicit Shared(std::string_view source) : text(source) {}

    const base::Result<SymExprNode>& tree() const {
        std::call_once(m_parsed, [this] { m_tree.emplace(parseSymbolic(text)); });
        return *m_tree;
    }

    std::string text;

private:
    mutable std::once_flag m_parsed;
    mutable std::optional<base::Result<SymExprNode>> m_tree;
};

namespace {

void collectSymbols(const SymExprNode& node, std::vector<std::string>& symbols) {
    if (node.function == SymFunction::Symbol &&
        std::find(symbols.begin(), symbols.end(), node.name) == symbols.end()) {
        symbols.push_back(node.name);
    }
    for (const SymExprNode& child : node.children) {
        collectSymbols(child, symbols);
    }
}

} // namespace

SymExpr::SymExpr(std::string_view text) : m_shared(std::make_shared<const Shared>(text)) {}

std::string_view SymExpr::text() const {
    return m_shared ? std::string_view(m_shared->text) : std::string_view();
}

std::vector<std::string> SymExpr::symbols() const {
    std::vector<std::string> symbols;
    if (m_shared && m_shared->tree().ok()) {
        collectSymbols(m_shared->tree().value(), symbols);
    }
    return symbols;
}

base::Result<SymbolValue> SymExpr::evaluate(const SymbolBindings& bindings) const {
    if (!m_shared) {
        base::Error error;
        error.code = "ir.symbol_syntax";
        error.message = "The symbolic expression is empty.";
        return error;
    }
    const base::Result<SymExprNode>& tree = m_shared->tree();
    if (!tree.ok()) {
        return tree.error();
    }
    return evaluateSymbolic(tree.value(), bindings);
}

std::optional<std::int64_t> SymExpr::evaluateInt(const SymbolBindings& bindings) const {
    // Fast path: most expressions are a single bound symbol.
    if (const auto bound = bindings.find(text()); bound != bindings.end()) {
        return bound->second;
    }
    const base::Result<SymbolValue> result = evaluate(bindings);
    if (!result.ok()) {
        return std::nullopt;
    }
    if (const auto* integer = std::get_if<std::int64_t>(&result.value())) {
        return *integer;
    }
    return std::nullopt;
}

std::string SymInt::text() const {
    return isSymbolic() ? std::string(m_expression.text()) : std::to_string(m_value);
}

std::optional<std::int64_t> SymInt::value(const SymbolBindings& bindings) const {
    return isSymbolic() ? m_expression.evaluateInt(bindings) : std::optional(m_value);
}

} // namespace aotscope::ir
