#include "trace/trace_attempts.h"

#include "run/failure.h"

#include <vector>

namespace aotscope::torch {

namespace {

using Trace = std::function<session::RetraceResult(const SymbolChoice&)>;

/// `Eq(s2, s77)`, found by the trace itself.
std::vector<std::string> foundEqual(const session::RetraceResult& result) {
    std::vector<std::string> equal;
    for (const session::RetraceGuard& guard : result.guards) {
        const auto relation = guard.given ? std::nullopt : symbolRelation(guard.expression);
        const auto isSize = [](const std::string& symbol) { return symbol.starts_with('s'); };
        if (relation && relation->kind == SymbolRelation::Kind::Equal && isSize(relation->symbol) &&
            isSize(relation->otherSymbol)) {
            equal.push_back(guard.expression);
        }
    }
    return equal;
}

session::RetraceResult traceOnce(const Trace& trace, SymbolChoice choice) {
    session::RetraceResult result = trace(choice);
    choice.equal = foundEqual(result);
    return choice.equal.empty() ? result : trace(choice);
}

} // namespace

session::RetraceResult inAttempts(std::size_t symbols, const Trace& trace) {
    // An operator may ask for equal sizes where PyTorch's shape function does not, or for sizes within
    // bounds: symbols that were so then get other values of their own, and the trace fails.
    std::vector<SymbolChoice> choices(1);
    for (const bool withinGuards : {false, true}) {
        if (symbols > 1) {
            choices.push_back({.withinGuards = withinGuards, .alike = true, .equal = {}});
        }
        if (symbols > 0 && !withinGuards) {
            choices.push_back({.withinGuards = true, .alike = false, .equal = {}});
        }
    }
    const std::size_t attempts = choices.size();
    for (std::size_t i = 0; i + 1 < attempts; ++i) {
        try {
            return traceOnce(trace, choices[i]);
        } catch (const RunFailure&) {
        } catch (const c10::Error&) {
        }
    }
    return traceOnce(trace, choices[attempts - 1]);
}

} // namespace aotscope::torch
