#include "cache/guard_check.h"

#include "base/characters.h"

#include <algorithm>
#include <string_view>

namespace aotscope::cache {

namespace {

/// "u0", "zuf1": an unbacked symbol, and no other name that begins so: its guards have to hold.
bool isUnbacked(std::string_view symbol) {
    const std::size_t prefix = symbol.starts_with("zuf") ? 3 : symbol.starts_with('u') ? 1 : symbol.size();
    const std::string_view number = symbol.substr(prefix);
    return !number.empty() && std::ranges::all_of(number, base::isDigit);
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
        const std::vector<std::string> symbols = guard.expression.symbols();
        if (std::ranges::any_of(symbols, isUnbacked)) {
            continue;
        }
        const auto value = guard.expression.evaluate(values);
        if (value && isTrue(*value)) {
            continue;
        }
        FailedGuard failed{guard.expression.text(), valuesText(symbols, values), {}};
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
