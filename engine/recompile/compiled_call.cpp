#include "recompile/compiled_call.h"

#include "explore/hooked_split.h"
#include "explore/partition_by_choices.h"
#include "recompile/compile_warnings.h"

#include "aot/compile.h"

namespace aotscope::session {

namespace {

/// The finished compile: with the partition of a person's choices, and all wrappers. `outcome` is set where
/// the cache looked for the partition, `partitioner` to a line that names it where there is one.
base::Result<aot::CompiledFunction> finished(const RetraceSnapshot& traced, const PartitionChoices& choices,
                                             const CallTools& tools,
                                             std::optional<aot::CacheOutcome>& outcome,
                                             std::string& partitioner) {
    const aot::CompiledFunction& function = traced.result->function;
    if (!function.joint) {
        return function;
    }
    AOTSCOPE_TRY(input, readJointInput(traced.made->reference, tools.partition));
    AOTSCOPE_TRY(chosen,
                 chosenCompile(input, function, choices, tools.retrace.traceHook, tools.partition.progress));
    partitioner =
        partitionerLine(chosen.choices.partition->partitioner, partitionerSourceOf(*input, choices));
    const auto compile = [&] { return aot::compile(chosen.begun, chosen.choices, tools.partition.progress); };
    // A partition's key begins with the trace's, which a bypassed compile does not have.
    if (!traced.cache || traced.cache->state == aot::CacheState::Bypass) {
        return compile();
    }
    CachedSplit split = tools.cachedSplit(function, chosen.choices, compile);
    outcome = std::move(split.outcome);
    return std::move(split.result);
}

base::Error notTraced(const RetraceSnapshot& traced) {
    return traced.error.value_or(
        base::Error{.code = "call.not_traced", .message = "The function was not traced."});
}

} // namespace

bool correctLeaves(const aot::CompiledFunction& function, aot::RetraceRequest& request) {
    const std::vector<ir::InputAliasInfo>& inputs = function.metadata.inputInfo;
    if (inputs.size() < request.inputs.size() ||
        aot::appliedWrapper<aot::AOTDedupeWrapper>(function.wrappers) != nullptr ||
        aot::appliedWrapper<aot::AOTSyntheticBaseWrapper>(function.wrappers) != nullptr) {
        return false;
    }
    // Attributes come first.
    const std::size_t first = inputs.size() - request.inputs.size();
    bool changed = false;
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
        const ir::InputAliasInfo& info = inputs[first + i];
        const bool isSeenByAutograd = info.mutatesData && !info.mutationsHiddenFromAutograd &&
                                      !info.mutationsUnderNoGradOrInferenceMode;
        if (isSeenByAutograd && request.inputs[i].requiresGrad && request.inputs[i].isLeaf) {
            request.inputs[i].isLeaf = false;
            changed = true;
        }
    }
    return changed;
}

base::Result<CallSnapshotPtr> callCompiled(const CallCompiled& command, const CallTools& tools) {
    CallRequest request;
    request.options = command.call;
    RetraceTools tracing = tools.retrace;
    tracing.trace = [&](const aot::RetraceRequest& asked, const std::string& name) {
        request.request = asked;
        auto result = tools.retrace.trace(request.request, name);
        if (result && correctLeaves(result->function, request.request)) {
            result = tools.retrace.trace(request.request, name);
        }
        return result;
    };
    tracing.cached = [&](const aot::RetraceRequest& asked, const TraceWork& /*trace*/) {
        request.request = asked;
        // Traced exactly as requested: what is stored under the key of a request must be the result of that
        // request.
        const auto trace = [&] { return tools.retrace.trace(request.request, command.target.name); };
        CachedResult found = tools.retrace.cached(request.request, trace);
        if (found.result && correctLeaves(found.result->function, request.request)) {
            found = tools.retrace.cached(request.request, trace);
        }
        return found;
    };
    AOTSCOPE_TRY(traced, retraceTarget(command.log, command.target, command.options, tracing));
    auto snapshot = std::make_shared<CallSnapshot>();
    snapshot->log = command.log;
    snapshot->target = command.target;
    snapshot->retraced = traced;
    tools.traced(traced);
    const auto failed = [&](base::Error error) -> base::Result<CallSnapshotPtr> {
        if (base::isCanceled(error)) {
            return error;
        }
        steps::CallRecord record;
        record.error = std::move(error);
        snapshot->record = std::make_shared<const steps::CallRecord>(std::move(record));
        return CallSnapshotPtr(snapshot);
    };
    if (!traced->result) {
        return failed(notTraced(*traced));
    }
    std::string partitioner;
    auto function = finished(*traced, command.choices, tools, snapshot->partitionCache, partitioner);
    if (!function) {
        return failed(std::move(function).error());
    }
    request.function = std::move(function).value();
    snapshot->function = std::make_shared<const aot::CompiledFunction>(request.function);
    snapshot->warnings = warningsOfCall(*traced, request.function);
    auto record = tools.call(request, command.target.name, snapshot->backend);
    if (!record) {
        return failed(std::move(record).error());
    }
    if (record->eager && !partitioner.empty()) {
        record->eager->configuration.push_back(std::move(partitioner));
    }
    snapshot->record = std::make_shared<const steps::CallRecord>(std::move(record).value());
    return CallSnapshotPtr(std::move(snapshot));
}

} // namespace aotscope::session
