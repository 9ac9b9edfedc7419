#include "fake/shape_fact.h"

#include <utility>
#include <variant>
#include <vector>

namespace aotscope::torch {

namespace {

base::Error notTaken(const std::string& fact, std::string why, std::string hint) {
    return {.code = "trace.fact", .message = "\"" + fact + "\" " + std::move(why), .hint = std::move(hint)};
}

std::string hintsText(const ir::SymbolBindings& hints) {
    std::string text;
    for (const auto& [name, value] : hints) {
        text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
    }
    return text;
}

} // namespace

base::Result<void> checkFact(const std::string& fact, const ir::SymbolBindings& hints) {
    if (hints.empty()) {
        return notTaken(fact, "cannot apply: this trace has no symbols, every size is a number.", {});
    }
    const ir::SymExpr expression(fact);
    const std::vector<std::string> symbols = expression.symbols();
    for (const std::string& name : symbols) {
        if (!hints.contains(name)) {
            return notTaken(fact, "names " + name + ", which is not a symbol of this trace.",
                            "The symbols are " + hintsText(hints) + ".");
        }
    }
    const auto value = expression.evaluate(hints);
    if (!value) {
        return notTaken(fact, "cannot be read: " + value.error().message,
                        "Write a relation between symbols, such as Eq(s0, 8) or s0 >= 2.");
    }
    const bool* holds = std::get_if<bool>(&*value);
    if (holds == nullptr || symbols.empty()) {
        return notTaken(fact, "is not a relation between symbols.",
                        "Write a relation, such as Eq(s0, 8) or s0 >= 2.");
    }
    if (!*holds) {
        return notTaken(fact, "does not hold for the sizes in the log: " + hintsText(hints) + ".",
                        "The trace follows these sizes: write a relation that holds for them.");
    }
    return {};
}

} // namespace aotscope::torch
