#pragma once

#include "kernels/graph_facts.h"
#include "kernels/kernel_values.h"

#include "base/result.h"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aotscope::kernels {

/// A group to be lowered.
struct LoweringRequest {
    const GraphFacts& facts;
    /// In program order.
    std::span<const ir::NodeId> nodes;
    /// Values of the nodes that are read outside of the group.
    std::span<const TensorName> outputs;
};

/// What the kernel of a group computes. Errors: kernels.not_one_space and others, whose message says why
/// these nodes cannot be one kernel ("…").
[[nodiscard]] base::Result<LoweredKernel> lowerGroup(const LoweringRequest& request);

/// The rows and columns that a node reduces; nothing: it does not reduce, or reduces single elements.
struct RowSpace {
    Sizes rowSizes;
    Sizes columnSizes;
};
[[nodiscard]] std::optional<RowSpace> rowSpaceOf(const OpCall& call);

/// Whether the call returns memory of its first operand, so that it has no kernel. Not for `getitem`.
[[nodiscard]] bool isView(const OpCall& call);

/// A view's operand, and where in it an element lies.
struct ViewedElement {
    TensorName tensor;
    Coordinates coordinates;
};

/// The element of the operand that the view has at these coordinates (`result` of those that return several:
/// split, unbind). Nothing: the view is not of the kinds that are known to keep elements apart from memory
/// (as_strided), or a number in it is unknown.
[[nodiscard]] std::optional<ViewedElement> viewedElement(const OpCall& call, std::size_t result,
                                                         const Coordinates& coordinates);

/// Thrown within a lowering, and caught by lowerGroup.
struct CannotLower {
    std::string why;
};

/// Builds the values of one kernel, from the outputs back to the inputs: each value is needed at some
/// coordinates, which views change. The rules of operators (operator_rules.h) use this class.
class Lowering {
public:
    explicit Lowering(const LoweringRequest& request);

    [[nodiscard]] LoweredKernel lower();

    // For the rules of operators.

    /// The element of a tensor at these coordinates.
    [[nodiscard]] ValueId element(TensorName tensor, const Coordinates& at);
    /// The element of an operand that is broadcast to `sizes`, at these coordinates of them, as `dtype`.
    [[nodiscard]] ValueId operand(ir::NodeId tensor, const Sizes& sizes, const Coordinates& at,
                                  ir::DType dtype);
    /// An operator's argument, a tensor or number, as `dtype`. A number or a tensor without dimensions that
    /// meets others keeps the precision of the operator's arithmetic unless `rounded`.
    [[nodiscard]] ValueId argument(const OpCall& call, std::string_view name, const Sizes& sizes,
                                   const Coordinates& at, ir::DType dtype, bool rounded);
    [[nodiscard]] ValueId literalValue(const Number& number, ir::DType dtype);
    [[nodiscard]] ValueId convert(ValueId value, ir::DType dtype);
    /// `text` with $0 … for operands and {T}, {f} for the dtype's register type and the suffix of its
    /// functions.
    [[nodiscard]] ValueId compute(ir::DType dtype, std::string_view text, std::vector<ValueId> operands,
                                  std::vector<IndexExpression> indices = {});
    /// Rounds a value of a small float's arithmetic to the dtype.
    [[nodiscard]] ValueId rounded(ValueId value, ir::DType dtype);
    /// A value that `make` computes once for each `key` of the node.
    template<typename Make>
    [[nodiscard]] ValueId once(const OpCall& call, std::string_view name, const Coordinates& at,
                               Make&& make) {
        const auto key = std::make_pair(call.id(), std::string(name) + "@" + coordinatesKey(at));
        if (const auto known = m_once.find(key); known != m_once.end()) {
            return known->second;
        }
        const ValueId value = make();
        nameValue(value, name);
        m_once.emplace(key, value);
        return value;
    }
    /// Reduces, over the dimensions marked in `reduced` of a tensor of the sizes `sizes`, what `elementAt`
    /// gives at each coordinate; `kept` are the coordinates of the other dimensions. Its dtype is the
    /// elements'.
    template<typename ElementAt>
    [[nodiscard]] ValueId reduce(std::string_view operation, const Sizes& sizes,
                                 const std::vector<bool>& reduced, const Coordinates& kept,
                                 ElementAt&& elementAt) {
        const Coordinates all = reducedCoordinates(sizes, reduced, kept);
        return reduceValue(operation, elementAt(all), countOf(sizes, reduced) == 1);
    }
    void nameValue(ValueId value, std::string_view name);
    [[nodiscard]] const KernelValue& value(ValueId id) const { return m_kernel.values[id]; }
    [[nodiscard]] const GraphFacts& facts() const { return m_facts; }

private:
    [[nodiscard]] Coordinates reducedCoordinates(const Sizes& sizes, const std::vector<bool>& reduced,
                                                 const Coordinates& kept) const;
    [[nodiscard]] ValueId reduceValue(std::string_view operation, ValueId value, bool single);
    void chooseSpace();
    void addVariables(const Sizes& sizes, std::string_view prefix, bool ofColumn,
                      std::span<const std::int64_t> strides, Coordinates& into);
    void storeOutputs();
    void putInputsFirst();
    [[nodiscard]] bool storeInPlace(TensorName output);
    void storeSingle(TensorName output);
    void store(TensorName output, ValueId value, const Coordinates& at);
    [[nodiscard]] std::optional<ValueId> folded(TensorName tensor, const Coordinates& at);
    [[nodiscard]] ValueId computed(TensorName tensor, const Coordinates& at);
    [[nodiscard]] ValueId load(TensorName tensor, const Coordinates& at);
    [[nodiscard]] std::size_t parameterOf(TensorName tensor, bool written);
    [[nodiscard]] ValueId add(KernelValue value);
    [[nodiscard]] ValueLevel levelOf(const std::vector<IndexExpression>& indices) const;
    void refuseRepeatedWork(TensorName tensor, ValueId value) const;

    const GraphFacts& m_facts;
    std::span<const TensorName> m_outputs;
    std::set<ir::NodeId> m_nodes;
    LoweredKernel m_kernel;
    /// The output's coordinates range over these sizes: rows then columns, or the only sizes.
    Sizes m_sizes;
    Coordinates m_coordinates;
    Sizes m_rowSizes;
    Coordinates m_rowCoordinates;
    Sizes m_columnSizes;
    Coordinates m_columnCoordinates;
    struct Instance {
        Coordinates at;
        ValueId value = 0;
    };
    std::map<TensorName, std::vector<Instance>> m_instances;
    std::map<std::pair<ir::NodeId, std::string>, ValueId> m_once;
    std::map<std::string, ValueId> m_literals;
    std::map<std::string, ValueId> m_loads;
    std::map<std::string, ValueId> m_conversions;
    std::map<TensorName, std::size_t> m_parameters;
    std::set<ir::NodeId> m_folded;
    ir::NodeId m_current;
    int m_depth = 0;
};

} // namespace aotscope::kernels
