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
    /// What it means; registers hold small floats as float, rounded to this dtype.
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
    /// The number of reductions of the same row that must end before.
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
    /// Of the row's or the column's (or the only) number: `number / stride % size`.
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

} // namespace aotscope::kernels
