#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What is known of an operator's results where sizes are symbolic: a column of its row (operators).
namespace aotscope::torch {

using SymbolicSizes = std::vector<c10::SymInt>;

/// The symbolic shape of one result, as an operator's shape function writes it. Empty parts are searched
/// among the numbers of the arguments (SizeCandidates).
struct SymbolicShape {
    SymbolicSizes sizes;
    SymbolicSizes strides;
    std::optional<c10::SymInt> offset;
};

[[nodiscard]] SymbolicSizes contiguousStrides(const SymbolicSizes& sizes);

/// `dim` as an index from 0; negative values count from the end of `dims` dimensions.
[[nodiscard]] std::size_t dimensionIndex(std::int64_t dim, std::size_t dims);

/// One call of an operator on fake tensors, whose sizes may be symbolic. References the arguments; valid only
/// during the call.
struct FakeCall {
    const c10::OperatorHandle& op;
    c10::ArrayRef<c10::IValue> arguments;
    ShapeEnvironment& environment;

    /// An argument by its name in the schema. Throws c10::Error if the schema has none.
    [[nodiscard]] const c10::IValue& operator[](std::string_view name) const;
    [[nodiscard]] const at::Tensor& tensor(std::size_t argument = 0) const {
        return arguments[argument].toTensor();
    }
    [[nodiscard]] SymbolicSizes sizes(std::size_t argument = 0) const {
        return tensor(argument).sym_sizes().vec();
    }
    /// Sizes and strides of the first argument.
    [[nodiscard]] SymbolicShape layout() const { return {sizes(), tensor().sym_strides().vec(), {}}; }
    /// An argument that is a list of numbers; empty for None.
    [[nodiscard]] SymbolicSizes numbers(std::size_t argument) const;
    [[nodiscard]] std::size_t dimension(std::size_t argument, std::size_t dims) const {
        return dimensionIndex(arguments[argument].toInt(), dims);
    }
};

/// Every function is optional.
struct OperatorModel {
    /// How PyTorch knows whether a result is contiguous without comparing its sizes and strides.
    enum class Memory : std::uint8_t {
        /// It does not: it compares them.
        Asked,
        /// The result is always new contiguous memory.
        New,
        /// The result is new contiguous memory if all operands are contiguous.
        NewOfContiguous,
        /// The result is an alias of the first argument.
        OfFirst,
    };

    /// The symbolic shape of result number `result`, or of that item if the operator returns a list.
    SymbolicShape (*shape)(const FakeCall& call, std::size_t result) = nullptr;
    /// Adds guards: sizes that the operator requires to be equal.
    void (*guards)(const FakeCall& call) = nullptr;
    /// Computes the results itself where sampled values are not enough: views and slices. Nothing: computed
    /// as any other operator.
    std::optional<c10::IValue> (*view)(const FakeCall& call) = nullptr;
    /// Computes the results of an operator whose sizes or values depend on data.
    std::vector<c10::IValue> (*fromData)(const FakeCall& call) = nullptr;
    /// The memory format of the first result where sizes are symbolic, in place of the fast path's for
    /// pointwise operators (fast_path_layout.h).
    std::optional<at::MemoryFormat> (*format)(c10::ArrayRef<c10::IValue> arguments) = nullptr;
    Memory memory = Memory::Asked;
    /// PyTorch's shape function takes sizes that ATen's refuses: for samples that ATen refuses, `shape` is
    /// the answer.
    bool acceptsMoreThanAten = false;

    friend bool operator==(const OperatorModel&, const OperatorModel&) = default;
};

/// The model of an operator: that of its overload, else that of its name, else an empty one.
[[nodiscard]] const OperatorModel& operatorModel(const c10::OperatorHandle& op);

/// Whether a size is 1; a true answer is a guard. False for a size that data decide.
[[nodiscard]] bool isOne(const c10::SymInt& size);

/// Adds the guards of pointwise operators: sizes that are broadcast together are equal.
void guardBroadcast(const FakeCall& call);

/// Whether results of an operator of this name depend on data: "nonzero", "bincount".
[[nodiscard]] bool isDataDependent(std::string_view name);

} // namespace aotscope::torch
