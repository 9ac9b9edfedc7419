#include "recompile/cached_retrace.h"

#include "cache/cacheable.h"
#include "cache/function_cache.h"

#include <chrono>
#include <utility>

namespace aotscope::session {

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t nanosecondsSince(Clock::time_point begin) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
}

/// The graph with these example values of its symbols.
ir::GraphPtr withValues(const ir::GraphPtr& graph, const ir::SymbolBindings& values) {
    if (!graph) {
        return nullptr;
    }
    ir::SymbolBindings hints = graph->symbolHints();
    for (auto& [symbol, hint] : hints) {
        const auto value = values.find(symbol);
        hint = value == values.end() ? hint : value->second;
    }
    return ir::withSymbolHints(graph, std::move(hints));
}

void store(cache::FunctionCache& cache, const cache::CacheKey& key, const aot::RetraceResult& result,
           aot::CacheOutcome& outcome) {
    if (auto stored = cache.store(key, result); !stored) {
        outcome.notStored = stored.error().message;
    }
}

} // namespace

CachedResult cachedRetrace(cache::FunctionCache& cache, const aot::RetraceRequest& request,
                           const cache::CompileEnvironment& environment, const TraceWork& trace) {
    if (std::string why = cache::bypassReason(request, environment); !why.empty()) {
        return {trace(), {.state = aot::CacheState::Bypass, .reason = std::move(why)}};
    }
    const Clock::time_point begin = Clock::now();
    const cache::CacheKey key = cache::keyOf(request, environment);
    const ir::SymbolBindings values = aot::symbolValues(request);
    cache::Lookup lookup = cache.lookup(key, values);
    if (lookup.entry) {
        aot::RetraceResult result = lookup.entry->result;
        result.function.program = request.program;
        // A key says neither who chose an option nor all of the state.
        result.function.configuration.functorch =
            request.functorch.value_or(std::move(result.function.configuration.functorch));
        result.function.configuration.state = request.state;
        result.function.graph = withValues(result.function.graph, values);
        result.nanoseconds = nanosecondsSince(begin);
        return {std::move(result), std::move(lookup.outcome)};
    }
    CachedResult traced{trace(), std::move(lookup.outcome)};
    if (traced.result) {
        store(cache, key, *traced.result, traced.outcome);
    } else {
        traced.outcome.notStored = "the trace failed";
    }
    return traced;
}

CachedSplit cachedSplit(cache::FunctionCache& cache, const aot::CompiledFunction& traced,
                        const aot::CompileChoices& choices, cache::CompileEnvironment environment,
                        const CompileWork& compile) {
    environment.partition = choices.partition;
    environment.chosenHooks = choices.chosenHooksText;
    // A person's hooks may use the program's too.
    if (auto hooks = traced.program ? aot::hooksOf(*traced.program) : std::nullopt) {
        environment.hooks = {*std::move(hooks)};
    }
    if (choices.hooks) {
        environment.hookFilter = choices.hooks->filter;
    }
    const cache::CacheKey key = cache::keyOfPartition(traced, environment);
    // The values of symbols are in the key, and a partition adds no guards.
    cache::Lookup lookup = cache.lookup(key, traced.graph->symbolHints());
    if (lookup.entry) {
        aot::CompiledFunction function = lookup.entry->result.function;
        // A key says neither of these whole.
        function.program = traced.program;
        function.configuration = traced.configuration;
        return {std::move(function), std::move(lookup.outcome)};
    }
    const Clock::time_point begin = Clock::now();
    CachedSplit done{compile(), std::move(lookup.outcome)};
    if (done.result) {
        store(cache, key, {.function = *done.result, .nanoseconds = nanosecondsSince(begin)}, done.outcome);
    } else {
        done.outcome.notStored = "the partition failed";
    }
    return done;
}

} // namespace aotscope::session
