#pragma once

#include "torch_headers.h"

#include <algorithm>
#include <cstdint>

namespace aotscope::test {

inline std::int64_t elementsReached(const at::Tensor& tensor) {
    std::int64_t reach = 1;
    for (std::int64_t d = 0; d < tensor.dim(); ++d) {
        if (tensor.size(d) == 0) {
            return 0;
        }
        reach += (tensor.size(d) - 1) * tensor.stride(d);
    }
    return reach;
}

/// Strides of dimensions of size one, and of empty tensors, are not significant (PyTorch's
/// `check_significant_strides`). With symbolic sizes PyTorch's fast path for pointwise operators computes
/// other values there than its kernels.
inline bool areSameStrides(c10::IntArrayRef sizes, c10::IntArrayRef left, c10::IntArrayRef right) {
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) {
        return true;
    }
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (sizes[d] > 1 && left[d] != right[d]) {
            return false;
        }
    }
    return true;
}

inline bool isWrappedNumber(const at::Tensor& tensor) {
    return !tensor.defined() || tensor.unsafeGetTensorImpl()->is_wrapped_number();
}

} // namespace aotscope::test
