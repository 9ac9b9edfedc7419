#include "cache/guard_check.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace aotscope::cache {

namespace {

/// "u0", "zuf1": an unbacked symbol.
bool isUnbacked(std::string_view symbol) {
    const std::string_view number = symbol.starts_with("zuf") ? symbol.substr(3)
                                    : symbol.starts_with("u") ? symbol.substr(1)
                                                              : std::string_view();
    return !number.empty() &&
           std::ranges::all_of(number, [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool isTrue(const ir::SymbolValue& value) {
    return std::visit([](auto number) { return number != 0; }, value);
}

std::string valuesText(const std::vector<std::string>& symbols, const ir::SymbolBindings& values) {
    std::string text;
    for (const std::string& symbol : symbols) {
        const auto found = values.find(symbol);
        text += (text.empty() ? "" : ", ") + symbol +
                (found == values.end() ? " has no value" : " = " + std::to_string(found->second));
    }
    return text.empty() ? "it has no symbols" : text;
}

} // namespace

std::string FailedGuard::text() const {
    return "guard " + expression + " fails: " + values + (place.empty() ? "" : " (" + place + ")");
}

std::optional<FailedGuard> firstFailedGuard(const std::vector<aot::RetraceGuard>& guards,
                                            const ir::SymbolBindings& values) {
    for (const aot::RetraceGuard& guard : guards) {
        const ir::SymExpr expression(guard.expression);
        const std::vector<std::string> symbols = expression.symbols();
        if (std::ranges::any_of(symbols, isUnbacked)) {
            continue;
        }
        const auto value = expression.evaluate(values);
        if (value && isTrue(*value)) {
            continue;
        }
        FailedGuard failed{guard.expression, valuesText(symbols, values), {}};
        const bool allBound = std::ranges::all_of(
            symbols, [&](const std::string& symbol) { return values.find(symbol) != values.end(); });
        if (!value && allBound) {
            failed.values = "it cannot be computed: " + value.error().message;
        }
        if (guard.source) {
            failed.place = guard.source->file + ":" + std::to_string(guard.source->line);
        }
        return failed;
    }
    return std::nullopt;
}

} // namespace aotscope::cache
