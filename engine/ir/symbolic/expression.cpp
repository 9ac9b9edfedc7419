#include "ir/symbolic/expression.h"

#include "ir/cursor.h"
#include "ir/symbolic/terms.h"
#include "ir/symbolic/tree.h"

#include <algorithm>
#include <mutex>

namespace aotscope::ir {

/// Begins with a text or a canonical form. Most expressions of a graph are only printed.
struct SymExpr::Shared {
    explicit Shared(std::string_view source) : m_text(source) {}
    explicit Shared(SymTerms&& terms)
        : m_isComputed(true), m_terms(std::make_unique<const SymTerms>(std::move(terms))) {}

    const std::string& text() const {
        if (m_isComputed) {
            std::call_once(m_printed, [this] { m_text = m_terms->text(); });
        }
        return m_text;
    }

    const base::Result<SymExprNode>& tree() const {
        std::call_once(m_parsed, [this] { m_tree = std::make_unique<const Tree>(parseSymbolic(text())); });
        return *m_tree;
    }

    const SymTerms& terms() const {
        if (!m_isComputed) {
            std::call_once(m_printed,
                           [this] { m_terms = std::make_unique<const SymTerms>(SymAtom(m_text)); });
        }
        return *m_terms;
    }

private:
    using Tree = base::Result<SymExprNode>;

    bool m_isComputed = false;
    /// The text of a canonical form, or the canonical form of a text, is there.
    mutable std::once_flag m_printed;
    mutable std::once_flag m_parsed;
    mutable std::string m_text;
    mutable std::unique_ptr<const SymTerms> m_terms;
    mutable std::unique_ptr<const Tree> m_tree;
};

namespace {

void collectSymbols(const SymExprNode& node, std::vector<std::string>& symbols) {
    if (node.function == SymFunction::Symbol && std::ranges::find(symbols, node.name) == symbols.end()) {
        symbols.push_back(node.name);
    }
    for (const SymExprNode& child : node.children) {
        collectSymbols(child, symbols);
    }
}

} // namespace

SymExpr::SymExpr(std::string_view text) : m_shared(std::make_shared<const Shared>(text)) {}

SymExpr::SymExpr(std::int64_t number) : SymExpr(SymTerms(number)) {}

SymExpr::SymExpr(SymTerms terms) : m_shared(std::make_shared<const Shared>(std::move(terms))) {}

SymExpr SymExpr::real(double number) {
    return SymExpr(SymTerms(SymNumber::real(number)));
}

SymExpr SymExpr::symbol(std::string name, const NumberSymbols& numbers) {
    return SymExpr(SymTerms(SymAtom(std::move(name), numbers)));
}

const std::string& SymExpr::text() const {
    static const std::string none;
    return m_shared ? m_shared->text() : none;
}

const SymExprNode* SymExpr::tree() const {
    return m_shared && m_shared->tree().ok() ? &m_shared->tree().value() : nullptr;
}

const SymTerms& SymExpr::terms() const {
    return m_shared->terms();
}

std::vector<std::string> SymExpr::symbols() const {
    std::vector<std::string> symbols;
    // Conditions on layouts have no text; they are too many to be parsed.
    if (const SymExprNode* root = text().empty() ? nullptr : tree()) {
        collectSymbols(*root, symbols);
    }
    return symbols;
}

base::Result<SymbolValue> SymExpr::evaluate(const SymbolBindings& bindings) const {
    if (!m_shared) {
        return base::Error{.code = "ir.symbol_syntax", .message = "The symbolic expression is empty."};
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
    const auto* integer = result ? std::get_if<std::int64_t>(&*result) : nullptr;
    return integer == nullptr ? std::nullopt : std::optional(*integer);
}

std::optional<bool> SymExpr::evaluateBool(const SymbolBindings& bindings) const {
    const base::Result<SymbolValue> result = evaluate(bindings);
    const bool* truth = result ? std::get_if<bool>(&*result) : nullptr;
    return truth == nullptr ? std::nullopt : std::optional(*truth);
}

std::string SymInt::text() const {
    return isSymbolic() ? m_expression.text() : std::to_string(m_value);
}

std::optional<std::int64_t> SymInt::value(const SymbolBindings& bindings) const {
    return isSymbolic() ? m_expression.evaluateInt(bindings) : std::optional(m_value);
}

} // namespace aotscope::ir
