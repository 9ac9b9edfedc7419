#include "passes/classify_nodes.h"

#include "passes/extract_graph.h"

#include "ir/operators/operator.h"

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
    classes.anyRequiredBackward = std::ranges::count(classes.requiredBackward, true) > 0;
}

/// The input or output of which this one is a part, if it is one of a tensor subclass.
template<typename Part, typename Descriptor>
const Descriptor& wholeOf(const Descriptor& descriptor) {
    const auto* part = descriptor.template as<Part>();
    return part == nullptr ? descriptor : wholeOf<Part>(*part->base);
}

const ir::AOTInput& wholeInput(const ir::AOTInput& input) {
    return wholeOf<ir::SubclassGetAttrAOTInput>(input);
}

bool isCloned(const JointProgram& program, Index i) {
    return std::ranges::any_of(program.users(i), [&](Index user) {
        return program[user].opcode == ir::Opcode::CallFunction &&
               ir::Operator(program.node(user).target).is(ir::Trait::Clones);
    });
}

std::vector<bool> overwrittenInputs(const JointProgram& program) {
    std::vector<const ir::AOTInput*> mutated;
    std::vector<const ir::AOTInput*> differentiated;
    for (const ReturnedValue& value : program.returned) {
        const ir::AOTOutput* output = value.descriptor.output();
        if (output == nullptr) {
            continue;
        }
        const ir::AOTOutput& of = wholeOf<ir::SubclassGetAttrAOTOutput>(*output);
        if (const auto* mutation = of.as<ir::InputMutationAOTOutput>()) {
            mutated.push_back(&wholeInput(*mutation->mutatedInput));
        } else if (const auto* gradient = of.as<ir::GradAOTOutput>()) {
            differentiated.push_back(&wholeInput(*gradient->gradOf));
        }
    }
    std::vector<bool> overwritten(program.size(), false);
    const auto holds = [](const std::vector<const ir::AOTInput*>& inputs, const ir::AOTInput& wanted) {
        return std::ranges::any_of(inputs, [&](const ir::AOTInput* input) { return *input == wanted; });
    };
    for (const Index primal : program.primals) {
        const ir::AOTInput* input = ir::inputDescriptor(program.node(primal));
        if (input != nullptr) {
            const ir::AOTInput& of = wholeInput(*input);
            overwritten[primal] =
                holds(mutated, of) && holds(differentiated, of) && isCloned(program, primal);
        }
    }
    return overwritten;
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
        const bool feedsRegion =
            std::ranges::any_of(users, [&](Index user) { return program[user].mustRecompute(); });
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

base::Result<void> saveEffects(JointProgram& program, const PartitionRules& rules) {
    for (Index i = 0; i < program.size(); ++i) {
        const Item& item = program[i];
        if (!item.is(OpWithEffects) || item.tag == ir::PartitionerTag::Backward ||
            (item.mustRecompute() && !rules.effectsAreNeverRecomputed)) {
            continue;
        }
        if (item.recompute == RecomputeTag::MustRecompute) {
            return base::Error{
                .code = "passes.recomputed_effect",
                .message = "\"" + program.name(i) +
                           "\" has an effect and must be recomputed, but an effect of the forward cannot "
                           "happen again in the backward.",
                .place = {.node = program.name(i)},
                .hint = "Let the checkpoint's policy save it."};
        }
        saveElements(program, i);
    }
    return {};
}

/// Marks a collective's result. If it has elements, `eachElement` marks those that are not tuples instead.
void saveCollective(JointProgram& program, Index i, bool eachElement) {
    if (eachElement) {
        const bool hasElements =
            std::ranges::any_of(program.users(i), [&](Index user) { return program[user].is(OpGetitem); });
        if (hasElements) {
            saveElements(program, i);
        }
        if (hasElements || program[i].value == ValueKind::Tuple) {
            return;
        }
    }
    program.items[i].recompute = RecomputeTag::MustSave;
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
    classes.tangentsClosure.assign(count, false);
    classes.forwardOrder.assign(count, -1);
    classes.staticInput.assign(count, false);
    markBackward(program, classes);
    classes.inputs = program.primals;
    classes.inputs.insert(classes.inputs.end(), program.forwardSeeds.begin(), program.forwardSeeds.end());
    const std::span<const ReturnedValue> outputs(program.returned);
    AOTSCOPE_TRY(forward, extractGraph(program, classes.inputs, outputs.first(program.forwardOutputs),
                                       Half::Forward, options.keepUnusedRandom));
    classes.requiredForward = marked(count, {forward.inputs, forward.nodes});
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
    classes.overwrittenInput = options.rules.overwrittenInputsCannotBeSaved ? overwrittenInputs(program)
                                                                            : std::vector<bool>(count, false);
    return classes;
}

base::Result<void> forceSaves(JointProgram& program, const PartitionOptions& options) {
    if (hasRecomputableNodes(program)) {
        saveBetweenRegions(program, options.partitioner == Partitioner::Default);
    }
    if (!options.unsafeAllowOptimizationOfCollectives) {
        for (Index i = 0; i < program.size(); ++i) {
            if (program[i].is(OpCollective) && !program[i].mustRecompute()) {
                saveCollective(program, i, options.rules.marksElementsOfCollectives);
            }
        }
    }
    AOTSCOPE_CHECK(saveEffects(program, options.rules));
    saveSourcesOfRepeatedMutation(program);
    return {};
}

bool hasRecomputableNodes(const JointProgram& program) {
    return std::ranges::any_of(program.items, &Item::mustRecompute);
}

bool hasRecomputableRandom(const JointProgram& program) {
    return std::ranges::any_of(program.items,
                               [](const Item& item) { return item.mustRecompute() && item.is(OpDraws); });
}

} // namespace aotscope::passes
