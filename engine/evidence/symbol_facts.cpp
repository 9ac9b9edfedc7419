#include "evidence/log_evidence.h"

#include "base/foreign_json.h"
#include "base/numbers.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace aotscope::evidence {
namespace {

/// {"symbol": "zf0", "val": "0.5"}, {"symbol": "s87", "val": "3", "vr": "[-int_oo, int_oo]"}
struct MadeSymbol {
    std::string symbol;
    std::string val;
    std::string vr;
};
AOTSCOPE_MEMBERS(MadeSymbol, symbol, val, vr)

struct AddedGuard {
    /// "s77 <= 25"
    std::string expr;
};
AOTSCOPE_MEMBERS(AddedGuard, expr)

/// An envelope has one of the first four, by its kind.
struct SymbolRecord {
    std::optional<AddedGuard> guardAddedFast;
    AddedGuard guardAdded;
    MadeSymbol createUnbackedSymbol;
    MadeSymbol createSymbol;
    std::optional<std::int64_t> attempt;
};
AOTSCOPE_MEMBERS(SymbolRecord, guardAddedFast, guardAdded, createUnbackedSymbol, createSymbol, attempt)

void addSymbol(const MadeSymbol& made, SymbolFacts& facts) {
    if (made.symbol.starts_with('s') && made.vr.starts_with("[-")) {
        facts.numbers.insert(made.symbol);
    }
    const auto number = base::wholeNumber<double>(made.val);
    if (made.symbol.starts_with("zf") && number) {
        facts.floats[made.symbol] = *number;
    }
}

} // namespace

SymbolFacts loggedSymbolFacts(const LogEvidence& evidence) {
    SymbolFacts facts;
    const auto recordAt = [&](load::RecordId record) {
        return base::foreignFrom<SymbolRecord>(evidence.envelope(record));
    };
    const auto attempt = recordAt(evidence.graph()).attempt;
    for (const load::RecordId id : evidence.before()) {
        const load::RecordKind kind = evidence.kind(id);
        const bool unbacked = kind == load::RecordKind::CreateUnbackedSymbol;
        const bool guards = kind == load::RecordKind::GuardAdded || kind == load::RecordKind::GuardAddedFast;
        if (!guards && !unbacked && kind != load::RecordKind::CreateSymbol) {
            continue;
        }
        const SymbolRecord record = recordAt(id);
        const bool sameAttempt = record.attempt == attempt;
        if (const std::string& symbol = record.createUnbackedSymbol.symbol; unbacked) {
            if (sameAttempt && !symbol.empty()) {
                ++(symbol.starts_with('u') ? facts.unbackedNumbers : facts.unbackedFloats);
            }
        } else if (!guards) {
            addSymbol(record.createSymbol, facts);
        } else if (AddedGuard guard = record.guardAddedFast.value_or(record.guardAdded);
                   !guard.expr.empty() && sameAttempt) {
            facts.guards.push_back(std::move(guard.expr));
        }
    }
    return facts;
}

} // namespace aotscope::evidence
