#include "trace/trace_attempts.h"

#include "run/failure.h"

#include "base/log.h"

#include <algorithm>
#include <vector>

namespace aotscope::torch {

namespace {

using Trace = std::function<session::RetraceResult(const SymbolChoice&)>;

/// `Eq(s2, s77)`, `Eq(s2, 8)`, found by the trace itself.
std::vector<std::string> foundEqual(const session::RetraceResult& result) {
    std::vector<std::string> equal;
    for (const session::RetraceGuard& guard : result.guards) {
        const auto relation = guard.given ? std::nullopt : symbolRelation(guard.expression);
        const auto isSize = [](const std::string& symbol) { return symbol.starts_with('s'); };
        if (relation && relation->kind == SymbolRelation::Kind::Equal && isSize(relation->symbol) &&
            (relation->otherSymbol.empty() || isSize(relation->otherSymbol))) {
            equal.push_back(guard.expression);
        }
    }
    return equal;
}

/// Begun anew with each guard that the trace turns out to need. Throws GuardNeeded for one that no values
/// fulfil.
session::RetraceResult traceWithin(const Trace& trace, SymbolChoice& choice) {
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

session::RetraceResult traceOnce(const Trace& trace, SymbolChoice choice) {
    session::RetraceResult result = traceWithin(trace, choice);
    const std::size_t before = choice.found.size();
    for (std::string& guard : foundEqual(result)) {
        if (std::find(choice.found.begin(), choice.found.end(), guard) == choice.found.end()) {
            choice.found.push_back(std::move(guard));
        }
    }
    return choice.found.size() == before ? result : traceWithin(trace, choice);
}

void noteFailed(std::size_t attempt, const std::string& why) {
    base::logDebug("aotscope.trace", "attempt " + std::to_string(attempt + 1) + " failed: " + why);
}

} // namespace

session::RetraceResult inAttempts(std::size_t symbols, const Trace& trace) {
    // An operator may ask for equal sizes where PyTorch's shape function does not, or for sizes within
    // bounds: symbols that were so then get other values of their own, and the trace fails.
    std::vector<SymbolChoice> choices(1);
    for (const bool withinGuards : {false, true}) {
        if (symbols > 1) {
            choices.push_back({.withinGuards = withinGuards, .alike = true, .found = {}});
        }
        if (symbols > 0 && !withinGuards) {
            choices.push_back({.withinGuards = true, .alike = false, .found = {}});
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
