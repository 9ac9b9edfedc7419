#pragma once

#include "fake/shape_environment.h"

#include "torch_headers.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What is known of an operator beyond its schema: one row per operator, found by its name. What a
/// partitioner asks (effects, recomputation, randomness) is in passes/op_facts.h, which needs no LibTorch.
namespace aotscope::torch {

using SymbolicSizes = std::vector<c10::SymInt>;

/// One call of an operator on fake tensors, whose sizes may be symbols. Lives only during the call.
struct FakeCall {
    const c10::OperatorHandle& op;
    c10::ArrayRef<c10::IValue> arguments;
    ShapeEnvironment& environment;

    /// By the schema's name; c10::Error where the schema has no such argument.
    [[nodiscard]] const c10::IValue& operator[](std::string_view name) const;
    [[nodiscard]] const at::Tensor& tensor(std::size_t argument = 0) const {
        return arguments[argument].toTensor();
    }
    [[nodiscard]] SymbolicSizes sizes(std::size_t argument = 0) const {
        return tensor(argument).sym_sizes().vec();
    }
    /// An argument that is a list of numbers; empty for None.
    [[nodiscard]] SymbolicSizes numbers(std::size_t argument) const;
    /// A dimension among `dims`, counted from the end where it is negative.
    [[nodiscard]] std::size_t dimension(std::size_t argument, std::size_t dims) const;
};

/// A result as its operator's shape function writes it in symbols. What is left empty is found among the
/// numbers of the arguments.
struct SymbolicShape {
    SymbolicSizes sizes;
    SymbolicSizes strides;
    std::optional<c10::SymInt> offset;
};

/// Every function is optional.
struct OperatorModel {
    /// How PyTorch knows that a result is contiguous, or that it is not, without asking its sizes.
    enum class Memory : std::uint8_t {
        /// It asks.
        Asked,
        /// New memory by the sizes alone.
        New,
        /// New memory by the sizes alone where all operands are contiguous.
        NewOfContiguous,
        /// The first argument under another name.
        OfFirst,
    };

    /// The shape function: of result number `result`, or of that item where the operator returns a list.
    SymbolicShape (*shape)(const FakeCall& call, std::size_t result) = nullptr;
    /// Guards: sizes that the operator wants equal.
    void (*guards)(const FakeCall& call) = nullptr;
    /// The results themselves, where values of the symbols are not enough to compute them: views and pieces.
    /// Nothing: as any other operator.
    std::optional<c10::IValue> (*view)(const FakeCall& call) = nullptr;
    /// The results of an operator whose data decide about their sizes or values.
    std::vector<c10::IValue> (*fromData)(const FakeCall& call) = nullptr;
    Memory memory = Memory::Asked;
};

/// The row of an operator: of its overload, else of its name; an empty one where nothing is known.
[[nodiscard]] const OperatorModel& operatorModel(const c10::OperatorHandle& op);

/// The guards of pointwise operators: sizes that are broadcast together are equal.
void askBroadcast(const FakeCall& call);

/// "aten::add.Tensor", "aten::mm"
[[nodiscard]] std::string fullName(const c10::OperatorHandle& op);

/// Whether the data decide about what a function of this name returns: "nonzero", "bincount".
[[nodiscard]] bool isDataDependent(std::string_view name);

/// Collects the rows while they are written down.
class OperatorModels {
public:
    void add(std::initializer_list<const char*> operators, const OperatorModel& model);
    [[nodiscard]] const OperatorModel* find(std::string_view name) const;
    /// Of any overload of a name.
    [[nodiscard]] bool isDataDependent(std::string_view name) const;

private:
    std::map<std::string, OperatorModel, std::less<>> m_rows;
};

/// Each family writes down its operators in models/.
void addMatrixModels(OperatorModels& models);
void addImageModels(OperatorModels& models);
void addReductionModels(OperatorModels& models);
void addPieceModels(OperatorModels& models);
void addDataDependentModels(OperatorModels& models);

} // namespace aotscope::torch
