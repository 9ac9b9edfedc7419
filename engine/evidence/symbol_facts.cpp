#include "evidence/symbol_facts.h"

#include "base/numbers.h"

#include <nlohmann/json.hpp>

namespace aotscope::evidence {
namespace {

using Json = nlohmann::json;

Json fieldsOf(const LogEvidence& evidence, load::RecordId record) {
    Json fields = Json::parse(evidence.envelope(record), nullptr, false);
    return fields.is_object() ? std::move(fields) : Json::object();
}

/// "s77 <= 25" of {"guard_added_fast": {"expr": "s77 <= 25"}}.
std::string guardOf(const Json& fields) {
    for (const char* const kind : {"guard_added_fast", "guard_added"}) {
        const auto guard = fields.find(kind);
        if (guard != fields.end() && guard->is_object()) {
            const auto expression = guard->find("expr");
            return expression != guard->end() && expression->is_string() ? expression->get<std::string>()
                                                                         : std::string();
        }
    }
    return {};
}

/// {"create_unbacked_symbol": {"symbol": "u0"}}
void countUnbacked(const Json& fields, SymbolFacts& facts) {
    const auto made = fields.find("create_unbacked_symbol");
    if (made == fields.end() || !made->is_object()) {
        return;
    }
    const auto symbol = made->find("symbol");
    if (symbol != made->end() && symbol->is_string()) {
        const bool isNumber = symbol->get_ref<const std::string&>().starts_with('u');
        ++(isNumber ? facts.unbackedNumbers : facts.unbackedFloats);
    }
}

std::string textOf(const Json& object, const char* key) {
    const auto value = object.find(key);
    return value != object.end() && value->is_string() ? value->get<std::string>() : std::string();
}

/// {"create_symbol": {"symbol": "zf0", "val": "0.5"}}, {"symbol": "s87", "val": "3", "vr": "[-int_oo,
/// int_oo]"}
void addSymbol(const Json& fields, SymbolFacts& facts) {
    const auto made = fields.find("create_symbol");
    if (made == fields.end() || !made->is_object()) {
        return;
    }
    const std::string symbol = textOf(*made, "symbol");
    const std::string value = textOf(*made, "val");
    if (symbol.starts_with('s') && textOf(*made, "vr").starts_with("[-")) {
        facts.numbers.insert(symbol);
    }
    const auto number = base::wholeNumber<double>(value);
    if (symbol.starts_with("zf") && number) {
        facts.floats[symbol] = *number;
    }
}

} // namespace

SymbolFacts loggedSymbolFacts(const LogEvidence& evidence) {
    SymbolFacts facts;
    const Json attempt = fieldsOf(evidence, evidence.graph()).value("attempt", Json());
    for (const load::RecordId record : evidence.before()) {
        const load::RecordKind kind = evidence.kind(record);
        const bool unbacked = kind == load::RecordKind::CreateUnbackedSymbol;
        const bool guards = kind == load::RecordKind::GuardAdded || kind == load::RecordKind::GuardAddedFast;
        if (!guards && !unbacked && kind != load::RecordKind::CreateSymbol) {
            continue;
        }
        const Json fields = fieldsOf(evidence, record);
        const bool sameAttempt = fields.value("attempt", Json()) == attempt;
        if (unbacked) {
            if (sameAttempt) {
                countUnbacked(fields, facts);
            }
        } else if (!guards) {
            addSymbol(fields, facts);
        } else if (std::string guard = guardOf(fields); !guard.empty() && sameAttempt) {
            facts.guards.push_back(std::move(guard));
        }
    }
    return facts;
}

} // namespace aotscope::evidence
