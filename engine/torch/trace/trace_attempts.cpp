#include "trace/trace_attempts.h"

#include "base/joined.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

using Trace = std::function<aot::RetraceResult(const SymbolChoice&)>;

/// Traces again with each guard that the trace needs, and once with the sizes that it finds equal; notes why.
/// Throws GuardNeeded when a trace that has the guard needs it again.
aot::RetraceResult traceWithGuards(SymbolChoice choice, const Trace& trace, std::vector<std::string>& notes) {
    for (bool mayFindEqual = true;;) {
        try {
            aot::RetraceResult result = trace(choice);
            const auto equal =
                mayFindEqual ? newlyFoundEqual(result.function.guards, choice) : std::vector<std::string>();
            if (equal.empty()) {
                result.notes.insert(result.notes.end(), notes.begin(), notes.end());
                return result;
            }
            mayFindEqual = false;
            notes.push_back("Traced again with " + base::joined(equal) + ", which the previous trace found.");
            choice.required.insert(choice.required.end(), equal.begin(), equal.end());
        } catch (const GuardNeeded& needed) {
            if (std::ranges::find(choice.required, needed.guard) != choice.required.end()) {
                throw;
            }
            notes.push_back("Traced again with sizes for which " + needed.guard +
                            " holds, because an operator needs it.");
            choice.required.push_back(needed.guard);
        }
    }
}

} // namespace

std::vector<std::string> newlyFoundEqual(const std::vector<aot::RetraceGuard>& guards,
                                         const SymbolChoice& choice) {
    std::vector<std::string> equal;
    for (const aot::RetraceGuard& guard : guards) {
        const auto relation = guard.byUser ? std::nullopt : ir::symbolRelation(guard.expression);
        const auto isSize = [](const std::string& symbol) { return symbol.starts_with('s'); };
        const bool isKnown =
            std::ranges::find(choice.required, guard.expression.text()) != choice.required.end();
        if (!isKnown && relation && relation->kind == ir::SymRelation::Kind::Equal &&
            isSize(relation->symbol) && (relation->otherSymbol.empty() || isSize(relation->otherSymbol))) {
            equal.push_back(guard.expression.text());
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
    std::vector<std::string> notes;
    for (std::size_t i = 0;; ++i) {
        try {
            return traceWithGuards(choices[i], trace, notes);
        } catch (const Canceled&) {
            throw;
        } catch (const std::exception&) {
            base::Error error = handledError("trace.unsupported");
            if (i + 1 == choices.size()) {
                error.notes.insert(error.notes.end(), notes.begin(), notes.end());
                throw RunFailure(std::move(error));
            }
            notes.push_back("Attempt " + std::to_string(i + 1) + " of " + std::to_string(choices.size()) +
                            " to trace it failed; the next one uses other values for its symbols: " +
                            firstLine(error.message));
        }
    }
}

} // namespace aotscope::torch
