#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

/// What AOTAutograd says that an input or output of a graph it made is to the function that was compiled: its
/// descriptors. Class and field names are those of torch/_functorch/_aot_autograd/descriptors.py
/// (torch 2.11).
namespace aotscope::ir {

struct AOTInput;
struct AOTOutput;

/// A descriptor inside another one: an immutable value, shared by copies, compared by what it says.
template<typename T>
class NestedDescriptor {
public:
    NestedDescriptor(T descriptor) : m_descriptor(std::make_shared<const T>(std::move(descriptor))) {}
    [[nodiscard]] const T& operator*() const { return *m_descriptor; }
    [[nodiscard]] const T* operator->() const { return m_descriptor.get(); }
    friend bool operator==(const NestedDescriptor& left, const NestedDescriptor& right) {
        return left.m_descriptor == right.m_descriptor || *left == *right;
    }

private:
    std::shared_ptr<const T> m_descriptor;
};

/// The parameter with this fully qualified name.
struct ParamAOTInput {
    std::string target;
    friend bool operator==(const ParamAOTInput&, const ParamAOTInput&) = default;
};

/// The buffer with this fully qualified name.
struct BufferAOTInput {
    std::string target;
    friend bool operator==(const BufferAOTInput&, const BufferAOTInput&) = default;
};

/// Stands for an input where nobody asks which.
struct DummyAOTInput {
    std::int64_t idx = 0;
    friend bool operator==(const DummyAOTInput&, const DummyAOTInput&) = default;
};

/// Input `idx` of the flat function, as it is.
struct PlainAOTInput {
    std::int64_t idx = 0;
    friend bool operator==(const PlainAOTInput&, const PlainAOTInput&) = default;
};

/// The inner tensor `attr` of a tensor subclass.
struct SubclassGetAttrAOTInput {
    NestedDescriptor<AOTInput> base;
    std::string attr = {};
    friend bool operator==(const SubclassGetAttrAOTInput&, const SubclassGetAttrAOTInput&) = default;
};

/// The symbolic size of a tensor subclass along dimension `idx`.
struct SubclassSizeAOTInput {
    NestedDescriptor<AOTInput> base;
    std::int64_t idx = 0;
    friend bool operator==(const SubclassSizeAOTInput&, const SubclassSizeAOTInput&) = default;
};

/// The symbolic stride of a tensor subclass along dimension `idx`.
struct SubclassStrideAOTInput {
    NestedDescriptor<AOTInput> base;
    std::int64_t idx = 0;
    friend bool operator==(const SubclassStrideAOTInput&, const SubclassStrideAOTInput&) = default;
};

/// The base of which several differentiable inputs are views; `baseOf` is one of them (`base_of`).
struct ViewBaseAOTInput {
    NestedDescriptor<AOTInput> baseOf;
    friend bool operator==(const ViewBaseAOTInput&, const ViewBaseAOTInput&) = default;
};

/// A base made for several inputs in one memory, none of them differentiable; `baseOf` is one of them.
struct SyntheticBaseAOTInput {
    NestedDescriptor<AOTInput> baseOf;
    friend bool operator==(const SyntheticBaseAOTInput&, const SyntheticBaseAOTInput&) = default;
};

/// State of the random generator of a device, handed to graphs whose random operators are functional.
struct PhiloxForwardSeedAOTInput {
    friend bool operator==(const PhiloxForwardSeedAOTInput&, const PhiloxForwardSeedAOTInput&) = default;
};
struct PhiloxForwardBaseOffsetAOTInput {
    friend bool operator==(const PhiloxForwardBaseOffsetAOTInput&,
                           const PhiloxForwardBaseOffsetAOTInput&) = default;
};
struct PhiloxBackwardSeedAOTInput {
    friend bool operator==(const PhiloxBackwardSeedAOTInput&, const PhiloxBackwardSeedAOTInput&) = default;
};
struct PhiloxBackwardBaseOffsetAOTInput {
    friend bool operator==(const PhiloxBackwardBaseOffsetAOTInput&,
                           const PhiloxBackwardBaseOffsetAOTInput&) = default;
};

/// The token that orders operators with side effects, threaded through the forward.
struct ForwardTokenAOTInput {
    std::int64_t idx = 0;
    friend bool operator==(const ForwardTokenAOTInput&, const ForwardTokenAOTInput&) = default;
};

/// The same for the backward.
struct BackwardTokenAOTInput {
    std::int64_t idx = 0;
    friend bool operator==(const BackwardTokenAOTInput&, const BackwardTokenAOTInput&) = default;
};

/// The gradient of an output of the forward.
struct TangentAOTInput {
    NestedDescriptor<AOTOutput> output;
    friend bool operator==(const TangentAOTInput&, const TangentAOTInput&) = default;
};

/// A descriptor that torch 2.11 does not have, or that is spelled in another way, as its text.
struct UnknownAOTInput {
    std::string text;
    friend bool operator==(const UnknownAOTInput&, const UnknownAOTInput&) = default;
};

/// Output `idx` of the flat function, as it is.
struct PlainAOTOutput {
    std::int64_t idx = 0;
    friend bool operator==(const PlainAOTOutput&, const PlainAOTOutput&) = default;
};

/// What an input is to hold after the call (`mutated_input`).
struct InputMutationAOTOutput {
    NestedDescriptor<AOTInput> mutatedInput;
    friend bool operator==(const InputMutationAOTOutput&, const InputMutationAOTOutput&) = default;
};

/// An intermediate tensor of which several outputs are views; `baseOf` is one of them (`base_of`).
struct IntermediateBaseAOTOutput {
    NestedDescriptor<AOTOutput> baseOf;
    friend bool operator==(const IntermediateBaseAOTOutput&, const IntermediateBaseAOTOutput&) = default;
};

/// Argument `idx`, one of several in one memory, whose sizes or strides were changed.
struct MetadataMutationAOTOutput {
    std::int64_t idx = 0;
    friend bool operator==(const MetadataMutationAOTOutput&, const MetadataMutationAOTOutput&) = default;
};

/// The gradient of an input (`grad_of`).
struct GradAOTOutput {
    NestedDescriptor<AOTInput> gradOf;
    friend bool operator==(const GradAOTOutput&, const GradAOTOutput&) = default;
};

/// How far the functional random operators moved the generator.
struct PhiloxUpdatedForwardOffsetAOTOutput {
    friend bool operator==(const PhiloxUpdatedForwardOffsetAOTOutput&,
                           const PhiloxUpdatedForwardOffsetAOTOutput&) = default;
};
struct PhiloxUpdatedBackwardOffsetAOTOutput {
    friend bool operator==(const PhiloxUpdatedBackwardOffsetAOTOutput&,
                           const PhiloxUpdatedBackwardOffsetAOTOutput&) = default;
};

/// The token after the last operator with side effects of the forward.
struct ForwardTokenAOTOutput {
    std::int64_t idx = 0;
    friend bool operator==(const ForwardTokenAOTOutput&, const ForwardTokenAOTOutput&) = default;
};

/// The same for the backward.
struct BackwardTokenAOTOutput {
    std::int64_t idx = 0;
    friend bool operator==(const BackwardTokenAOTOutput&, const BackwardTokenAOTOutput&) = default;
};

/// The inner tensor `attr` of a tensor subclass that is made of the outputs.
struct SubclassGetAttrAOTOutput {
    NestedDescriptor<AOTOutput> base;
    std::string attr = {};
    friend bool operator==(const SubclassGetAttrAOTOutput&, const SubclassGetAttrAOTOutput&) = default;
};

/// Its symbolic size along dimension `idx`.
struct SubclassSizeAOTOutput {
    NestedDescriptor<AOTOutput> base;
    std::int64_t idx = 0;
    friend bool operator==(const SubclassSizeAOTOutput&, const SubclassSizeAOTOutput&) = default;
};

/// Its symbolic stride along dimension `idx`.
struct SubclassStrideAOTOutput {
    NestedDescriptor<AOTOutput> base;
    std::int64_t idx = 0;
    friend bool operator==(const SubclassStrideAOTOutput&, const SubclassStrideAOTOutput&) = default;
};

/// Stands for an output where nobody asks which.
struct DummyAOTOutput {
    std::int64_t idx = 0;
    friend bool operator==(const DummyAOTOutput&, const DummyAOTOutput&) = default;
};

/// A value that the forward keeps for the backward.
struct SavedForBackwardsAOTOutput {
    std::int64_t idx = 0;
    friend bool operator==(const SavedForBackwardsAOTOutput&, const SavedForBackwardsAOTOutput&) = default;
};

/// One that may be changed in place before the backward runs: a custom autograd function kept it on `ctx`
/// itself, so its version counter is not looked at.
struct SavedForBackwardsNoVcCheckAOTOutput {
    std::int64_t idx = 0;
    friend bool operator==(const SavedForBackwardsNoVcCheckAOTOutput&,
                           const SavedForBackwardsNoVcCheckAOTOutput&) = default;
};

/// A descriptor that torch 2.11 does not have, or that is spelled in another way, as its text.
struct UnknownAOTOutput {
    std::string text;
    friend bool operator==(const UnknownAOTOutput&, const UnknownAOTOutput&) = default;
};

/// Whether T is one of the types of a variant.
template<typename T, typename Variant>
inline constexpr bool isAlternative = false;
template<typename T, typename... Ts>
inline constexpr bool isAlternative<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);

/// What an input of a graph is.
struct AOTInput {
    using Alternatives =
        std::variant<ParamAOTInput, BufferAOTInput, DummyAOTInput, PlainAOTInput, SubclassGetAttrAOTInput,
                     SubclassSizeAOTInput, SubclassStrideAOTInput, ViewBaseAOTInput, SyntheticBaseAOTInput,
                     PhiloxForwardSeedAOTInput, PhiloxForwardBaseOffsetAOTInput, PhiloxBackwardSeedAOTInput,
                     PhiloxBackwardBaseOffsetAOTInput, ForwardTokenAOTInput, BackwardTokenAOTInput,
                     TangentAOTInput, UnknownAOTInput>;
    Alternatives value;

    template<typename T>
    requires isAlternative<T, Alternatives> AOTInput(T alternative) : value(std::move(alternative)) {}
    /// The alternative, where it is this one; else null.
    template<typename T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&value);
    }
    friend bool operator==(const AOTInput&, const AOTInput&) = default;
};

/// What an output of a graph is.
struct AOTOutput {
    using Alternatives =
        std::variant<PlainAOTOutput, InputMutationAOTOutput, IntermediateBaseAOTOutput,
                     MetadataMutationAOTOutput, GradAOTOutput, PhiloxUpdatedForwardOffsetAOTOutput,
                     PhiloxUpdatedBackwardOffsetAOTOutput, ForwardTokenAOTOutput, BackwardTokenAOTOutput,
                     SubclassGetAttrAOTOutput, SubclassSizeAOTOutput, SubclassStrideAOTOutput, DummyAOTOutput,
                     SavedForBackwardsAOTOutput, SavedForBackwardsNoVcCheckAOTOutput, UnknownAOTOutput>;
    Alternatives value;

    template<typename T>
    requires isAlternative<T, Alternatives> AOTOutput(T alternative) : value(std::move(alternative)) {}
    template<typename T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&value);
    }
    friend bool operator==(const AOTOutput&, const AOTOutput&) = default;
};

// What PyTorch asks of descriptors. A piece of a tensor subclass (an inner tensor, a size, a stride) counts
// as what it is taken from; PyTorch's own `is_…` methods do not look through sizes and strides.

[[nodiscard]] bool isParam(const AOTInput& input);
[[nodiscard]] bool isBuffer(const AOTInput& input);
[[nodiscard]] bool isTangent(const AOTInput& input);
/// An input that only the backward takes by AOTAutograd's calling convention: a tangent, or the token of the
/// backward. torch/_functorch/_aot_autograd/utils.py tells them by the name of the placeholder (_is_tangent).
[[nodiscard]] bool isTangentOrBackwardToken(const AOTInput& input);
/// Seed and offset of the random generator (_is_fwd_seed_offset, _is_bwd_seed_offset).
[[nodiscard]] bool isForwardSeedOrOffset(const AOTInput& input);
[[nodiscard]] bool isBackwardSeedOrOffset(const AOTInput& input);
/// An input of the forward that the compiled function takes (_is_primal): none of the above.
[[nodiscard]] bool isPrimal(const AOTInput& input);
/// DifferentiableAOTInput: can have a gradient.
[[nodiscard]] bool isDifferentiable(const AOTInput& input);

/// The input that an input is taken or made from: of a piece of a tensor subclass the whole, of a base one of
/// the views. Null for all others.
[[nodiscard]] const AOTInput* innerInput(const AOTInput& input);
/// Which input of the flat function it is, or is taken or made from; nothing: none, as for a tangent.
[[nodiscard]] std::optional<std::size_t> flatInputIndex(const AOTInput& input);

[[nodiscard]] bool isGrad(const AOTOutput& output);
/// What the backward returns: a gradient, its token, or how far it moved the generator.
[[nodiscard]] bool isOfBackward(const AOTOutput& output);
/// With or without a look at its version counter.
[[nodiscard]] bool isSavedForBackwards(const AOTOutput& output);
/// DifferentiableAOTOutput: can have a tangent.
[[nodiscard]] bool isDifferentiable(const AOTOutput& output);

/// Python's None: a returned value that is nothing in particular, as where an input has no gradient.
struct NoneDescriptor {
    friend bool operator==(const NoneDescriptor&, const NoneDescriptor&) = default;
};

/// What is known of one placeholder or one returned value (`node.meta["desc"]`).
struct Descriptor {
    /// Nothing is known of it: std::monostate.
    std::variant<std::monostate, NoneDescriptor, AOTInput, AOTOutput> value;
    /// Not stated by whoever made the graph, but read off names and places when it was frozen. It is never
    /// printed into the graph's text.
    bool derived = false;

    /// Null: it is no such thing.
    [[nodiscard]] const AOTInput* input() const { return std::get_if<AOTInput>(&value); }
    [[nodiscard]] const AOTOutput* output() const { return std::get_if<AOTOutput>(&value); }
    /// Whether whoever made the graph says anything of it, if only None: PyTorch in a log, or the trace here.
    [[nodiscard]] bool isStated() const { return value.index() != 0 && !derived; }
    friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

} // namespace aotscope::ir
