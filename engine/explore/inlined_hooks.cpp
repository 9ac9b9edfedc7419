#include "explore/inlined_hooks.h"

#include "explore/partition_rows.h"
#include "explore/saved_filter.h"
#include "explore/split_retraced.h"

#include "hooks/python_text.h"

#include "base/joined.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace aotscope::session {
namespace {

PackedValue packedValue(const ir::Graph& pack, ir::NodeId id, const ir::SymbolBindings& hints) {
    const ir::Node& node = pack.node(id);
    PackedValue value;
    value.name = node.name;
    if (const ir::TensorMeta* tensor = ir::asTensor(node.value)) {
        value.dtype = ir::dtypeName(tensor->dtype);
        value.shape = "[" + base::joined(tensor->shape) + "]";
        value.bytes = tensor->bytes(hints).value_or(0);
    }
    return value;
}

std::int64_t bytesOfSaved(const passes::Partition& partition) {
    std::int64_t total = 0;
    for (const std::string& name : partition.savedTensors) {
        const auto id = partition.forward->tryFind(name);
        const ir::TensorMeta* tensor = id ? ir::asTensor(partition.forward->node(*id).value) : nullptr;
        total += tensor != nullptr ? tensor->bytes(partition.forward->symbolHints()).value_or(0) : 0;
    }
    return total;
}

} // namespace

base::Result<std::map<std::string, std::string>> hooksByRule(const hooks::HookPlan& plan,
                                                             const std::vector<SavedTensor>& saved) {
    if (auto unknown = hooks::unknownHook(plan)) {
        return *std::move(unknown);
    }
    std::map<std::string, std::string> hookOf;
    std::map<std::string, bool> decided;
    for (const hooks::HookRule& rule : plan.rules) {
        auto filter = SavedFilter::parse(rule.filter);
        if (!filter) {
            base::Error error = std::move(filter).error();
            error.notes.push_back("in the filter of the hook " + rule.hook + ": " + rule.filter);
            return error;
        }
        for (const SavedTensor& tensor : saved) {
            if (tensor.dtype.empty() || !filter->matches(tensor) ||
                !decided.try_emplace(tensor.name, true).second) {
                continue;
            }
            if (rule.hook != hooks::noHook) {
                hookOf[tensor.name] = rule.hook;
            }
        }
    }
    return hookOf;
}

base::Result<hooks::InlinedPlan> inlinedPlan(const JointInput& input, const hooks::HookPlan& plan,
                                             const aot::TraceProgram& traceHook, const PlannedHooks& planned,
                                             const aot::CompiledFunction& halves) {
    passes::TraceHook logged;
    if (input.trace && input.trace->result) {
        if (auto hooks = hookInlining(*input.trace, traceHook)) {
            logged = std::move(hooks->trace);
        }
    }
    return hooks::inlinePlan(*halves.partition, {.plan = plan,
                                                 .hookOf = planned.hookOf,
                                                 .filter = planned.filter,
                                                 .staticInputs = input.given.staticInputs,
                                                 .function = halves,
                                                 .logged = std::move(logged),
                                                 .trace = traceHook,
                                                 .memo = *input.tracedHooks});
}

ArtifactReference beforeHooksReference(const ArtifactReference& half) {
    ArtifactReference reference = half;
    reference.artifact += " before hooks";
    return reference;
}

ArtifactReference hookReference(const ArtifactReference& joint, const std::string& saved, bool isPack) {
    ArtifactReference reference = joint;
    reference.artifact = (isPack ? "pack " : "unpack ") + saved + " of " + joint.artifact;
    reference.subgraph.clear();
    return reference;
}

InlinedHooks inlinedHooks(const PartitionSnapshot& split, passes::HookFilter filter,
                          const PlannedHooks* planned, MemoryProfilePtr before) {
    const passes::Partition& made = *split.function.partition;
    std::unordered_map<std::string_view, const passes::InlinedHook*> inlined;
    for (const passes::InlinedHook& hook : made.hooks) {
        inlined.emplace(hook.saved, &hook);
    }
    std::unordered_map<std::string_view, const hooks::PlannedTensor*> plans;
    if (planned != nullptr) {
        for (const hooks::PlannedTensor& tensor : planned->plan.tensors) {
            plans.emplace(tensor.saved, &tensor);
        }
    }
    InlinedHooks all;
    all.filter = filter;
    all.profileBefore = std::move(before);
    all.forwardBefore = beforeHooksReference(split.forward);
    all.backwardBefore = beforeHooksReference(split.backward);
    all.bytesBefore = bytesOfSaved(*split.partition);
    all.bytesAfter = bytesOfSaved(made);
    for (const SavedTensor& saved : split.saved) {
        if (saved.dtype.empty()) {
            continue;
        }
        HookedTensor tensor;
        tensor.saved = saved.name;
        tensor.bytes = tensor.storedBytes = saved.bytes;
        const auto plan = plans.find(saved.name);
        if (plan != plans.end()) {
            tensor.why = plan->second->why;
        }
        if (const auto hook = inlined.find(saved.name); hook != inlined.end()) {
            tensor.hook = plan != plans.end() ? plan->second->hook : std::string(hooks::loggedHook);
            const ir::Graph& pack = *hook->second->pack;
            tensor.storedBytes = 0;
            for (const ir::Argument& returned : pack.returned()) {
                ir::forEachNode(returned, [&](ir::NodeId id) {
                    tensor.packed.push_back(packedValue(pack, id, made.forward->symbolHints()));
                    tensor.storedBytes += tensor.packed.back().bytes;
                });
            }
            tensor.pack = hookReference(split.joint->reference, saved.name, true);
            tensor.unpack = hookReference(split.joint->reference, saved.name, false);
        }
        all.tensors.push_back(std::move(tensor));
    }
    if (planned != nullptr) {
        all.broken = planned->plan.broken;
    }
    return all;
}

std::string pythonHooks(const PartitionSnapshot& split) {
    static const hooks::HookPlan none;
    hooks::PythonHooks python{.plan = split.choices.hooks ? *split.choices.hooks : none,
                              .hookOf = {},
                              .filter = split.hooks ? split.hooks->filter : passes::HookFilter::Donated};
    if (split.function.program) {
        python.logged = aot::hooksOf(*split.function.program);
    }
    for (const HookedTensor& tensor : split.hooks ? split.hooks->tensors : std::vector<HookedTensor>()) {
        if (!tensor.hook.empty()) {
            python.hookOf.emplace(tensor.saved, tensor.hook);
        }
    }
    return hooks::pythonText(python);
}

} // namespace aotscope::session
