#pragma once

#include "kernels/kernel_values.h"

#include <cstdint>

namespace aotscope::kernels {

/// How the work of a kernel is shared out among threads.
struct WorkShape {
    /// Neighbouring elements that a thread takes at once; 1: no vectors.
    std::int64_t lanes = 1;
    /// Of rows: threads of one row, a power of two; rows of one block; turns that a thread takes along the
    /// row.
    std::int64_t threads = 1;
    std::int64_t rowsPerBlock = 1;
    std::int64_t items = 1;
    std::int64_t block = 256;
    std::int64_t grid = 1;
};

[[nodiscard]] WorkShape workShape(const LoweredKernel& kernel);
/// Whether neighbouring elements of the iteration space are neighbours at this address, in aligned groups of
/// `lanes`, which are at most 16 bytes of the parameter's dtype.
[[nodiscard]] bool isVector(const LoweredKernel& kernel, std::size_t parameter,
                            const IndexExpression& address, std::int64_t lanes);
/// Whether the address counts the elements of the iteration space one by one.
[[nodiscard]] bool isFlat(const LoweredKernel& kernel, const IndexExpression& address);
/// Whether the address counts the rows.
[[nodiscard]] bool isRowNumber(const LoweredKernel& kernel, const IndexExpression& address);
/// The variable whose neighbours are neighbouring elements; null: there is a single element.
[[nodiscard]] const KernelVariable* innermost(const LoweredKernel& kernel);

} // namespace aotscope::kernels
