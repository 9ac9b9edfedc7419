#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

/// AOTAutograd's descriptors: what an input or output of a traced graph is to the compiled function. Follows
/// torch 2.11, torch/_functorch/_aot_autograd/descriptors.py: AOTInput, AOTOutput and their subclasses, with
/// the same class and field names.
namespace aotscope::ir {

struct AOTInput;
struct AOTOutput;

/// A descriptor inside another one: an immutable value, shared by copies, compared by content.
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

/// The fields that several descriptors have in common, which only their types tell apart.
struct WithoutFields {
    friend bool operator==(const WithoutFields&, const WithoutFields&) = default;
};
struct OfIndex {
    std::int64_t idx = 0;
    friend bool operator==(const OfIndex&, const OfIndex&) = default;
};
struct OfName {
    std::string target;
    friend bool operator==(const OfName&, const OfName&) = default;
};
struct OfText {
    std::string text;
    friend bool operator==(const OfText&, const OfText&) = default;
};
template<typename Described>
struct BaseOf {
    NestedDescriptor<Described> baseOf;
    friend bool operator==(const BaseOf&, const BaseOf&) = default;
};
template<typename Described>
struct PartByName {
    NestedDescriptor<Described> base;
    std::string attr = {};
    friend bool operator==(const PartByName&, const PartByName&) = default;
};
template<typename Described>
struct PartByIndex {
    NestedDescriptor<Described> base;
    std::int64_t idx = 0;
    friend bool operator==(const PartByIndex&, const PartByIndex&) = default;
};

/// The parameter with this fully qualified name.
struct ParamAOTInput : OfName {};

/// The buffer with this fully qualified name.
struct BufferAOTInput : OfName {};

/// Placeholder for an input whose descriptor does not matter.
struct DummyAOTInput : OfIndex {};

/// Input `idx` of the flat function.
struct PlainAOTInput : OfIndex {};

/// The inner tensor `attr` of a tensor subclass.
struct SubclassGetAttrAOTInput : PartByName<AOTInput> {};

/// The symbolic size of a tensor subclass along dimension `idx`.
struct SubclassSizeAOTInput : PartByIndex<AOTInput> {};

/// The symbolic stride of a tensor subclass along dimension `idx`.
struct SubclassStrideAOTInput : PartByIndex<AOTInput> {};

/// The base tensor of several differentiable inputs, its views; `baseOf` is one of them (`base_of`).
struct ViewBaseAOTInput : BaseOf<AOTInput> {};

/// A synthetic base for several non-differentiable inputs that share memory; `baseOf` is one of them.
struct SyntheticBaseAOTInput : BaseOf<AOTInput> {};

/// State of a device's random generator, an input of graphs with functionalized random operators.
struct PhiloxForwardSeedAOTInput : WithoutFields {};
struct PhiloxForwardBaseOffsetAOTInput : WithoutFields {};
struct PhiloxBackwardSeedAOTInput : WithoutFields {};
struct PhiloxBackwardBaseOffsetAOTInput : WithoutFields {};

/// The effect token that orders the forward's operators with side effects.
struct ForwardTokenAOTInput : OfIndex {};

/// The effect token of the backward.
struct BackwardTokenAOTInput : OfIndex {};

/// The gradient of an output of the forward.
struct TangentAOTInput {
    NestedDescriptor<AOTOutput> output;
    friend bool operator==(const TangentAOTInput&, const TangentAOTInput&) = default;
};

/// The text of a descriptor that torch 2.11 does not have or spells differently.
struct UnknownAOTInput : OfText {};

/// Output `idx` of the flat function.
struct PlainAOTOutput : OfIndex {};

/// The value that a mutated input gets after the call (`mutated_input`).
struct InputMutationAOTOutput {
    NestedDescriptor<AOTInput> mutatedInput;
    friend bool operator==(const InputMutationAOTOutput&, const InputMutationAOTOutput&) = default;
};

/// An intermediate tensor that is the base of several outputs; `baseOf` is one of them (`base_of`).
struct IntermediateBaseAOTOutput : BaseOf<AOTOutput> {};

/// Argument `idx`, which shares memory with other arguments and whose sizes or strides were mutated.
struct MetadataMutationAOTOutput : OfIndex {};

/// The gradient of an input (`grad_of`).
struct GradAOTOutput {
    NestedDescriptor<AOTInput> gradOf;
    friend bool operator==(const GradAOTOutput&, const GradAOTOutput&) = default;
};

/// The generator's offset after the functionalized random operators.
struct PhiloxUpdatedForwardOffsetAOTOutput : WithoutFields {};
struct PhiloxUpdatedBackwardOffsetAOTOutput : WithoutFields {};

/// The effect token after the forward's last operator with side effects.
struct ForwardTokenAOTOutput : OfIndex {};

/// The effect token of the backward.
struct BackwardTokenAOTOutput : OfIndex {};

/// The inner tensor `attr` of a tensor subclass that is assembled from the outputs.
struct SubclassGetAttrAOTOutput : PartByName<AOTOutput> {};

/// The symbolic size of such a tensor subclass along dimension `idx`.
struct SubclassSizeAOTOutput : PartByIndex<AOTOutput> {};

/// The symbolic stride of such a tensor subclass along dimension `idx`.
struct SubclassStrideAOTOutput : PartByIndex<AOTOutput> {};

/// Placeholder for an output whose descriptor does not matter.
struct DummyAOTOutput : OfIndex {};

/// A value saved for backward.
struct SavedForBackwardsAOTOutput : OfIndex {};

/// A value saved for backward without a version counter check: a custom autograd function stored it on `ctx`,
/// so it may be changed in place before the backward runs.
struct SavedForBackwardsNoVcCheckAOTOutput : OfIndex {};

/// The text of a descriptor that torch 2.11 does not have or spells differently.
struct UnknownAOTOutput : OfText {};

/// Whether T is one of the types of a variant.
template<typename T, typename Variant>
inline constexpr bool isAlternative = false;
template<typename T, typename... Ts>
inline constexpr bool isAlternative<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);

/// The descriptor of a graph input.
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
    /// The alternative of type T; null: it is another one.
    template<typename T>
    [[nodiscard]] const T* as() const {
        return std::get_if<T>(&value);
    }
    friend bool operator==(const AOTInput&, const AOTInput&) = default;
};

/// The descriptor of a graph output.
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

// Questions about descriptors. A part of a tensor subclass (an inner tensor, a size, a stride) counts as the
// tensor it belongs to; PyTorch's own `is_…` methods do not look through sizes and strides.

[[nodiscard]] bool isParam(const AOTInput& input);
[[nodiscard]] bool isBuffer(const AOTInput& input);
[[nodiscard]] bool isTangent(const AOTInput& input);
/// Whether only the backward takes the input: a tangent, or the backward's effect token. PyTorch decides this
/// by the placeholder's name (torch/_functorch/_aot_autograd/utils.py: _is_tangent).
[[nodiscard]] bool isTangentOrBackwardToken(const AOTInput& input);
/// Whether it is a seed or offset of the random generator (_is_fwd_seed_offset, _is_bwd_seed_offset).
[[nodiscard]] bool isForwardSeedOrOffset(const AOTInput& input);
[[nodiscard]] bool isBackwardSeedOrOffset(const AOTInput& input);
/// Whether it is an input of the compiled function, none of the above (_is_primal).
[[nodiscard]] bool isPrimal(const AOTInput& input);
/// Whether it can have a gradient (DifferentiableAOTInput).
[[nodiscard]] bool isDifferentiable(const AOTInput& input);

/// The input that this one is derived from: the tensor subclass of a part, a view of a base; else null.
[[nodiscard]] const AOTInput* innerInput(const AOTInput& input);
/// The input of the flat function that this one is, or is derived from; nothing: none, as for a tangent.
[[nodiscard]] std::optional<std::size_t> flatInputIndex(const AOTInput& input);

[[nodiscard]] bool isGrad(const AOTOutput& output);
/// Whether the backward returns it: a gradient, the backward's effect token, or its generator offset.
[[nodiscard]] bool isOfBackward(const AOTOutput& output);
/// Whether it is saved for backward, with or without a version counter check.
[[nodiscard]] bool isSavedForBackwards(const AOTOutput& output);
/// Whether it can have a tangent (DifferentiableAOTOutput).
[[nodiscard]] bool isDifferentiable(const AOTOutput& output);

/// Python's None: the descriptor of a returned None, as for an input without gradient.
struct NoneDescriptor {
    friend bool operator==(const NoneDescriptor&, const NoneDescriptor&) = default;
};

/// The descriptor of one placeholder or one returned value (`node.meta["desc"]`).
struct Descriptor {
    /// std::monostate: unknown.
    std::variant<std::monostate, NoneDescriptor, AOTInput, AOTOutput> value;
    /// Not recorded with the graph, but derived from names and positions when it was finished
    /// (`deriveDescriptors`). Never printed into the graph's text.
    bool derived = false;

    /// Null: not the descriptor of an input, or of an output.
    [[nodiscard]] const AOTInput* input() const { return std::get_if<AOTInput>(&value); }
    [[nodiscard]] const AOTOutput* output() const { return std::get_if<AOTOutput>(&value); }
    /// Whether it was recorded with the graph (in a log, or by a trace in this program), even as None.
    [[nodiscard]] bool isStated() const { return value.index() != 0 && !derived; }
    friend bool operator==(const Descriptor&, const Descriptor&) = default;
};

} // namespace aotscope::ir
