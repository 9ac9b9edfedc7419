#pragma once

#include "torch_headers.h"

#include <string_view>

namespace aotscope::torch {

/// The unit roundoff of the products inside an operator on float32 tensors of a GPU: 2^-11 where LibTorch's
/// settings let it multiply in TensorFloat-32 (convolutions unless torch.backends.cudnn.allow_tf32 is off,
/// matrix products only after torch.backends.cuda.matmul.allow_tf32), else 0. Other devices and dtypes: 0.
[[nodiscard]] double tensorFloat32Roundoff(std::string_view target, const at::Tensor& result);

/// While it lives, LibTorch multiplies float32 in float32, so that two runs by other kernels differ by its
/// roundings alone. Holds for the whole process; several may live at once, and the last one to go puts the
/// settings back.
class ExactFloat32Products {
public:
    ExactFloat32Products();
    ~ExactFloat32Products();
    ExactFloat32Products(const ExactFloat32Products&) = delete;
    ExactFloat32Products& operator=(const ExactFloat32Products&) = delete;
};

} // namespace aotscope::torch
