#include "passes/classify_nodes.h"

#include "passes/extract_graph.h"

#include <algorithm>

namespace aotscope::passes {
namespace {

void markBackward(const JointProgram& program, NodeClasses& classes) {
    for (Index i = 0; i < program.size(); ++i) {
        if (program[i].role == InputRole::Tangent || program[i].mustBeInBackward()) {
            classes.tangentsClosure[i] = true;
        }
        if (classes.tangentsClosure[i]) {
            for (const Index user : program.users(i)) {
                classes.tangentsClosure[user] = true;
            }
        }
    }
    classes.requiredBackward = classes.tangentsClosure;
    for (std::size_t i = program.forwardOutputs; i < program.returned.size(); ++i) {
        if (program.returned[i].node != noIndex) {
            classes.requiredBackward[program.returned[i].node] = true;
        }
    }
    classes.anyRequiredBackward = std::find(classes.requiredBackward.begin(), classes.requiredBackward.end(),
                                            true) != classes.requiredBackward.end();
}

std::optional<std::int64_t> checkpointRegion(const JointProgram& program, Index i) {
    const auto& origin = program.node(i).origin;
    return origin ? origin->acGraphId : std::nullopt;
}

void saveBetweenRegions(JointProgram& program, bool isDefaultPartition) {
    for (Index i = 0; i < program.size(); ++i) {
        const auto region = checkpointRegion(program, i);
        const auto users = program.users(i);
        if (program[i].mustRecompute()) {
            for (const Index user : users) {
                const auto userRegion = checkpointRegion(program, user);
                if (program[user].mustRecompute() && userRegion && region && *userRegion > *region) {
                    program.items[i].recompute = RecomputeTag::MustSave;
                }
            }
            continue;
        }
        if (!isDefaultPartition || region) {
            continue;
        }
        const bool feedsRegion = std::any_of(users.begin(), users.end(),
                                             [&](Index user) { return program[user].mustRecompute(); });
        const Index parent = program[i].is(OpGetitem) ? program.argument(i, 0) : noIndex;
        const bool elementOfRegion = parent != noIndex && program[parent].value != ValueKind::Tensor &&
                                     checkpointRegion(program, parent).has_value();
        if (feedsRegion && !elementOfRegion) {
            program.items[i].recompute = RecomputeTag::MustSave;
        }
    }
}

void saveElements(JointProgram& program, Index i) {
    for (const Index user : program.users(i)) {
        if (program[user].is(OpGetitem)) {
            saveElements(program, user);
            if (program[user].value != ValueKind::Tuple) {
                program.items[user].recompute = RecomputeTag::MustSave;
            }
        }
    }
}

void saveEffects(JointProgram& program) {
    for (Index i = 0; i < program.size(); ++i) {
        const Item& item = program[i];
        if (item.is(OpWithEffects) && !item.mustRecompute() && item.tag != ir::PartitionerTag::Backward) {
            saveElements(program, i);
        }
    }
}

void saveSourcesOfRepeatedMutation(JointProgram& program) {
    std::vector<bool> writtenInBackward(program.size(), false);
    for (Index i = program.size(); i-- > 0;) {
        if (program[i].opcode == ir::Opcode::Output) {
            continue;
        }
        if (!program[i].is(OpCopyInto)) {
            break;
        }
        const Index into = program.argument(i, 0);
        const Index from = program.argument(i, 1);
        if (into == noIndex) {
            continue;
        }
        if (program[i].tag == ir::PartitionerTag::MustBeInBackward) {
            writtenInBackward[into] = true;
        }
        if (program[i].tag == ir::PartitionerTag::MustBeInForward && writtenInBackward[into] &&
            from != noIndex) {
            program.items[from].recompute = RecomputeTag::MustSave;
        }
    }
}

} // namespace

base::Result<NodeClasses> classifyNodes(const JointProgram& program, const PartitionOptions& options) {
    const Index count = program.size();
    NodeClasses classes;
    classes.requiredForward.assign(count, false);
    classes.tangentsClosure.assign(count, false);
    classes.forwardOrder.assign(count, -1);
    classes.staticInput.assign(count, false);
    markBackward(program, classes);
    classes.inputs = program.primals;
    classes.inputs.insert(classes.inputs.end(), program.forwardSeeds.begin(), program.forwardSeeds.end());
    const std::span<const ReturnedValue> outputs(program.returned);
    auto forward = extractGraph(program, classes.inputs, outputs.first(program.forwardOutputs), Half::Forward,
                                options.keepUnusedRandom);
    if (!forward) {
        return std::move(forward).error();
    }
    for (const auto* part : {&forward->inputs, &forward->nodes}) {
        for (const Index i : *part) {
            classes.requiredForward[i] = true;
        }
    }
    std::int32_t position = 0;
    for (Index i = 0; i < count; ++i) {
        if (classes.requiredForward[i]) {
            classes.forwardOrder[i] = position++;
        }
    }
    for (const std::size_t input : options.staticInputs) {
        if (input < program.primals.size()) {
            classes.staticInput[program.primals[input]] = true;
        }
    }
    return classes;
}

void forceSaves(JointProgram& program, const PartitionOptions& options) {
    if (hasRecomputableNodes(program)) {
        saveBetweenRegions(program, options.partitioner == Partitioner::Default);
    }
    if (!options.unsafeAllowOptimizationOfCollectives) {
        for (Item& item : program.items) {
            if (item.is(OpCollective) && !item.mustRecompute()) {
                item.recompute = RecomputeTag::MustSave;
            }
        }
    }
    saveEffects(program);
    saveSourcesOfRepeatedMutation(program);
}

bool hasRecomputableNodes(const JointProgram& program) {
    return std::any_of(program.items.begin(), program.items.end(),
                       [](const Item& item) { return item.mustRecompute(); });
}

bool hasRecomputableRandom(const JointProgram& program) {
    return std::any_of(program.items.begin(), program.items.end(),
                       [](const Item& item) { return item.mustRecompute() && item.is(OpSeeded); });
}

} // namespace aotscope::passes
