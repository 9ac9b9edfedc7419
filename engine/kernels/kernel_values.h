#pragma once

#include "kernels/fused_kernel.h"
#include "kernels/index_expression.h"

#include <cstddef>
#include <string>
#include <vector>

/// What a kernel computes at one point of its iteration space, before it is written as text.
namespace aotscope::kernels {

/// An index of LoweredKernel::values.
using ValueId = std::size_t;

/// How often a value is computed: once, for each row, or for each element.
enum class ValueLevel : std::uint8_t { Constant, Row, Element };

struct KernelValue {
    enum class Kind : std::uint8_t { Literal, Load, Compute, Reduce };
    Kind kind = Kind::Compute;
    /// Dtype of the value. float16 and bfloat16 are computed as float and rounded to it.
    ir::DType dtype = ir::DType::Unknown;
    /// Literal: C++. Compute: C++ with $0 … for operands and #0 … for indices. Reduce: the operation
    /// (`sum_of`).
    std::string text;
    std::vector<ValueId> operands;
    std::vector<IndexExpression> indices;
    /// Load: which parameter, and where in it.
    std::size_t parameter = 0;
    IndexExpression address;
    /// The node that it belongs to, and what people may call it ("mul_2", "softmax_max").
    ir::NodeId node;
    std::string name;
    ValueLevel level = ValueLevel::Constant;
    /// How many passes over the row must end before this value is computed, each for a reduction that it
    /// depends on.
    std::size_t stage = 0;
};

struct KernelStore {
    ValueId value = 0;
    std::size_t parameter = 0;
    IndexExpression address;
    /// Variables that must be 0, so that each element is stored once.
    std::vector<std::string> onlyWhereZero;
    ir::NodeId node;
};

/// A variable of the iteration space.
struct KernelVariable {
    std::string name;
    std::int64_t size = 1;
    /// The variable is `index / stride % size`, where `index` is the column's (or the only one) if
    /// `ofColumn`, else the row's.
    std::int64_t stride = 1;
    bool ofColumn = true;
};

struct LoweredKernel {
    KernelKind kind = KernelKind::Pointwise;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::vector<KernelVariable> variables;
    std::vector<KernelParameter> parameters;
    std::vector<KernelValue> values;
    std::vector<KernelStore> stores;
    std::size_t stages = 1;
    /// Views that became index expressions.
    std::vector<ir::NodeId> foldedViews;
};

/// Writes what a kernel computes as CUDA C++. Threads take neighbouring elements, 16 bytes at once where
/// addresses allow it; rows are reduced by as many threads as they have use for, and kept in registers where
/// they fit, so that global memory is read once.
[[nodiscard]] FusedKernel writeKernel(const ir::Graph& graph, std::string name, std::vector<ir::NodeId> nodes,
                                      LoweredKernel lowered);

} // namespace aotscope::kernels
