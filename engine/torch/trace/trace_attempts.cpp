#include "trace/trace_attempts.h"

#include "run/failure.h"

#include "base/log.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

using Trace = std::function<aot::RetraceResult(const SymbolChoice&)>;

/// Begun anew with each guard that the trace turns out to need. Throws GuardNeeded for one that no values
/// fulfil.
aot::RetraceResult traceWithin(const Trace& trace, SymbolChoice& choice) {
    for (;;) {
        try {
            return trace(choice);
        } catch (const GuardNeeded& needed) {
            const bool again =
                std::find(choice.found.begin(), choice.found.end(), needed.guard) != choice.found.end();
            if (again) {
                throw;
            }
            base::logDebug("aotscope.trace", "begun anew with the guard " + needed.guard);
            choice.found.push_back(needed.guard);
        }
    }
}

aot::RetraceResult traceOnce(const Trace& trace, SymbolChoice choice) {
    aot::RetraceResult result = traceWithin(trace, choice);
    const std::vector<std::string> equal = newlyFoundEqual(result.guards, choice);
    choice.found.insert(choice.found.end(), equal.begin(), equal.end());
    return equal.empty() ? result : traceWithin(trace, choice);
}

void noteFailed(std::size_t attempt, const std::string& why) {
    base::logDebug("aotscope.trace", "attempt " + std::to_string(attempt + 1) + " failed: " + why);
}

} // namespace

std::vector<std::string> newlyFoundEqual(const std::vector<aot::RetraceGuard>& guards,
                                         const SymbolChoice& choice) {
    std::vector<std::string> equal;
    for (const aot::RetraceGuard& guard : guards) {
        const auto relation = guard.given ? std::nullopt : symbolRelation(guard.expression);
        const auto isSize = [](const std::string& symbol) { return symbol.starts_with('s'); };
        const bool isKnown =
            std::find(choice.found.begin(), choice.found.end(), guard.expression) != choice.found.end();
        if (!isKnown && relation && relation->kind == SymbolRelation::Kind::Equal &&
            isSize(relation->symbol) && (relation->otherSymbol.empty() || isSize(relation->otherSymbol))) {
            equal.push_back(guard.expression);
        }
    }
    return equal;
}

aot::RetraceResult inAttempts(std::size_t symbols, const Trace& trace) {
    // An operator may ask for equal sizes where PyTorch's shape function does not, or for sizes within
    // bounds: symbols that were so then get other values of their own, and the trace fails.
    std::vector<SymbolChoice> choices(1);
    for (const bool withinGuards : {false, true}) {
        if (symbols > 1) {
            choices.push_back({.withinGuards = withinGuards, .alike = true, .found = {}, .given = {}});
        }
        if (symbols > 0 && !withinGuards) {
            choices.push_back({.withinGuards = true, .alike = false, .found = {}, .given = {}});
        }
    }
    const std::size_t attempts = choices.size();
    for (std::size_t i = 0; i + 1 < attempts; ++i) {
        try {
            return traceOnce(trace, choices[i]);
        } catch (const RunFailure& failure) {
            noteFailed(i, failure.error().message);
        } catch (const c10::Error& error) {
            noteFailed(i, error.what_without_backtrace());
        } catch (const GuardNeeded& needed) {
            noteFailed(i, needed.what());
        }
    }
    return traceOnce(trace, choices[attempts - 1]);
}

} // namespace aotscope::torch
