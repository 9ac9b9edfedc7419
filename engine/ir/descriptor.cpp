#include "ir/descriptor.h"

namespace aotscope::ir {
namespace {

/// The tensor subclass that a part belongs to; anything else itself.
template<typename Described>
const Described& wholeOf(const Described& described) {
    return std::visit(
        [&](const auto& piece) -> const Described& {
            if constexpr (requires { piece.base; }) {
                return wholeOf(*piece.base);
            } else {
                return described;
            }
        },
        described.value);
}

template<typename... Ts, typename Described>
bool isOneOf(const Described& described) {
    return (std::holds_alternative<Ts>(described.value) || ...);
}

} // namespace

bool isParam(const AOTInput& input) {
    return isOneOf<ParamAOTInput>(wholeOf(input));
}

bool isBuffer(const AOTInput& input) {
    return isOneOf<BufferAOTInput>(wholeOf(input));
}

bool isTangent(const AOTInput& input) {
    return isOneOf<TangentAOTInput>(wholeOf(input));
}

bool isTangentOrBackwardToken(const AOTInput& input) {
    return isTangent(input) || isOneOf<BackwardTokenAOTInput>(input);
}

bool isForwardSeedOrOffset(const AOTInput& input) {
    return isOneOf<PhiloxForwardSeedAOTInput, PhiloxForwardBaseOffsetAOTInput>(input);
}

bool isBackwardSeedOrOffset(const AOTInput& input) {
    return isOneOf<PhiloxBackwardSeedAOTInput, PhiloxBackwardBaseOffsetAOTInput>(input);
}

bool isPrimal(const AOTInput& input) {
    return !isTangentOrBackwardToken(input) && !isForwardSeedOrOffset(input) &&
           !isBackwardSeedOrOffset(input);
}

bool isDifferentiable(const AOTInput& input) {
    return isOneOf<ParamAOTInput, BufferAOTInput, PlainAOTInput, ViewBaseAOTInput, SyntheticBaseAOTInput,
                   TangentAOTInput>(input);
}

const AOTInput* innerInput(const AOTInput& input) {
    return std::visit(
        [](const auto& descriptor) -> const AOTInput* {
            if constexpr (requires { descriptor.base; }) {
                return &*descriptor.base;
            } else if constexpr (requires { descriptor.baseOf; }) {
                return &*descriptor.baseOf;
            } else {
                return nullptr;
            }
        },
        input.value);
}

std::optional<std::size_t> flatInputIndex(const AOTInput& input) {
    if (const auto* plain = input.as<PlainAOTInput>()) {
        return plain->idx < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(plain->idx));
    }
    const AOTInput* inner = innerInput(input);
    return inner == nullptr ? std::nullopt : flatInputIndex(*inner);
}

bool isGrad(const AOTOutput& output) {
    return isOneOf<GradAOTOutput>(wholeOf(output));
}

bool isOfBackward(const AOTOutput& output) {
    return isGrad(output) || isOneOf<BackwardTokenAOTOutput, PhiloxUpdatedBackwardOffsetAOTOutput>(output);
}

bool isSavedForBackwards(const AOTOutput& output) {
    return isOneOf<SavedForBackwardsAOTOutput, SavedForBackwardsNoVcCheckAOTOutput>(output);
}

bool isDifferentiable(const AOTOutput& output) {
    return isOneOf<PlainAOTOutput, InputMutationAOTOutput, IntermediateBaseAOTOutput,
                   MetadataMutationAOTOutput, GradAOTOutput>(output);
}

} // namespace aotscope::ir
