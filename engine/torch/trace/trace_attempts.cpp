#include "trace/trace_attempts.h"

#include "base/joined.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

using Trace = std::function<aot::RetraceResult(const SymbolChoice&)>;

/// Runs attempts and collects notes about the failed ones.
class Attempts {
public:
    explicit Attempts(const Trace& trace) : m_trace(trace) {}

    /// Traces with this choice; throws what the trace throws.
    aot::RetraceResult attempt(SymbolChoice choice);
    /// Notes the exception being handled as the end of an attempt.
    void noteFailed(std::size_t attempt, std::size_t attempts);
    /// The exception that is being handled ended the last attempt: throws it as a RunFailure that tells of
    /// them all.
    [[noreturn]] void giveUp() const;

private:
    aot::RetraceResult traceWithin(SymbolChoice& choice);

    const Trace& m_trace;
    std::vector<std::string> m_notes;
};

/// Traces again with each guard that the trace needs. Throws GuardNeeded when a trace that has the guard
/// needs it again.
aot::RetraceResult Attempts::traceWithin(SymbolChoice& choice) {
    for (;;) {
        try {
            aot::RetraceResult result = m_trace(choice);
            result.notes.insert(result.notes.end(), m_notes.begin(), m_notes.end());
            return result;
        } catch (const GuardNeeded& needed) {
            const bool again = std::find(choice.required.begin(), choice.required.end(), needed.guard) !=
                               choice.required.end();
            if (again) {
                throw;
            }
            m_notes.push_back("Traced again with sizes for which " + needed.guard +
                              " holds, because an operator needs it.");
            choice.required.push_back(needed.guard);
        }
    }
}

aot::RetraceResult Attempts::attempt(SymbolChoice choice) {
    aot::RetraceResult result = traceWithin(choice);
    const std::vector<std::string> equal = newlyFoundEqual(result.function.guards, choice);
    if (equal.empty()) {
        return result;
    }
    std::string all = base::joined(equal);
    m_notes.push_back("Traced again with " + all + ", which the previous trace found.");
    choice.required.insert(choice.required.end(), equal.begin(), equal.end());
    return traceWithin(choice);
}

void Attempts::noteFailed(std::size_t attempt, std::size_t attempts) {
    m_notes.push_back("Attempt " + std::to_string(attempt + 1) + " of " + std::to_string(attempts) +
                      " to trace it failed; the next one uses other values for its symbols: " +
                      firstLine(handledError("trace.unsupported").message));
}

void Attempts::giveUp() const {
    base::Error error = handledError("trace.unsupported");
    error.notes.insert(error.notes.end(), m_notes.begin(), m_notes.end());
    throw RunFailure(std::move(error));
}

} // namespace

std::vector<std::string> newlyFoundEqual(const std::vector<aot::RetraceGuard>& guards,
                                         const SymbolChoice& choice) {
    std::vector<std::string> equal;
    for (const aot::RetraceGuard& guard : guards) {
        const auto relation = guard.byUser ? std::nullopt : ir::symbolRelation(ir::SymExpr(guard.expression));
        const auto isSize = [](const std::string& symbol) { return symbol.starts_with('s'); };
        const bool isKnown = std::find(choice.required.begin(), choice.required.end(), guard.expression) !=
                             choice.required.end();
        if (!isKnown && relation && relation->kind == ir::SymRelation::Kind::Equal &&
            isSize(relation->symbol) && (relation->otherSymbol.empty() || isSize(relation->otherSymbol))) {
            equal.push_back(guard.expression);
        }
    }
    return equal;
}

aot::RetraceResult inAttempts(std::size_t symbols, const Trace& trace) {
    // A LibTorch kernel may require equal or bounded sizes where PyTorch's shape function does not. Samples
    // that violate this make the trace fail, so the choices differ in which relations their samples keep.
    std::vector<SymbolChoice> choices(1);
    for (const bool withinGuards : {false, true}) {
        if (symbols > 1) {
            choices.push_back(
                {.withinGuards = withinGuards, .tiesEqualHints = true, .required = {}, .stated = {}});
        }
        if (symbols > 0 && !withinGuards) {
            choices.push_back({.withinGuards = true, .tiesEqualHints = false, .required = {}, .stated = {}});
        }
    }
    Attempts attempts(trace);
    for (std::size_t i = 0;; ++i) {
        try {
            return attempts.attempt(choices[i]);
        } catch (const Canceled&) {
            throw;
        } catch (const std::exception&) {
            if (i + 1 == choices.size()) {
                attempts.giveUp();
            }
            attempts.noteFailed(i, choices.size());
        }
    }
}

} // namespace aotscope::torch
