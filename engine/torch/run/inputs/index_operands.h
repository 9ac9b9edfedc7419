#pragma once

#include "torch_headers.h"

#include <optional>
#include <string_view>
#include <vector>

/// Which arguments of operators are indices, and their valid ranges. Synthetic inputs must be valid indices,
/// and some kernels read or write out of bounds when an index is not.
namespace aotscope::torch {

/// The arguments of a call, read from metadata or from values.
class OperandView {
public:
    OperandView() = default;
    OperandView(const OperandView&) = delete;
    OperandView& operator=(const OperandView&) = delete;
    virtual ~OperandView() = default;

    /// Number of elements of a list argument; nullopt for other arguments.
    [[nodiscard]] virtual std::optional<std::size_t> listSize(std::size_t argument) const = 0;
    /// Shape of a tensor argument, or of element `element` of a list.
    [[nodiscard]] virtual std::optional<std::vector<std::int64_t>>
    shape(std::size_t argument, std::optional<std::size_t> element = std::nullopt) const = 0;
    /// Whether that tensor is a mask: of bools, or of bytes, which index like bools.
    [[nodiscard]] virtual bool isMask(std::size_t argument, std::optional<std::size_t> element) const = 0;
    [[nodiscard]] virtual std::optional<std::int64_t> integer(std::size_t argument) const = 0;
    [[nodiscard]] virtual std::optional<std::vector<std::int64_t>> integers(std::size_t argument) const = 0;
};

/// The product of the sizes; nothing: they are not known, or 64 bits cannot hold it.
[[nodiscard]] std::optional<std::int64_t> productOf(const std::optional<std::vector<std::int64_t>>& shape);
/// The size along a dimension, which counts from the end where it is negative; nothing: it is not known.
[[nodiscard]] std::optional<std::int64_t> sizeAlong(const std::optional<std::vector<std::int64_t>>& shape,
                                                    std::optional<std::int64_t> dim);

/// An index operand: its values lie in [least, below), or in [-below, below) when negative indices count from
/// the end.
struct IndexOperand {
    std::size_t argument = 0;
    std::optional<std::size_t> element;
    std::int64_t below = 0;
    bool negativeAllowed = false;
    /// A value that is valid outside the range (`ignore_index`).
    std::optional<std::int64_t> exempt = {};
    std::int64_t least = 0;
    /// Whether other values are valid depends on where they are, so only synthetic values are kept in the
    /// range.
    bool onlyMade = false;
};

/// The index operands of a call of an FX target.
[[nodiscard]] std::vector<IndexOperand> indexOperands(std::string_view target, const OperandView& operands);

/// Throws RunFailure (run.index) when a call would read or write outside of its tensors.
void checkIndexes(std::string_view target, const std::vector<c10::IValue>& args);

} // namespace aotscope::torch
