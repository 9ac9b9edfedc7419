#include "run/reference/tensor_float32.h"

#include "ir/operators/operator.h"

#include <ATen/Context.h>

#include <mutex>

namespace aotscope::torch {

namespace {

/// The unit roundoff of numbers with ten bits behind the point.
constexpr double tenBits = 0x1p-11;

/// LibTorch's settings as they were before the first ExactFloat32Products. Global because those are.
struct FoundSettings {
    std::mutex mutex;
    int users = 0;
    bool convolutions = false;
    bool products = false;
};
FoundSettings found;

} // namespace

double tensorFloat32Roundoff(std::string_view target, const at::Tensor& result) {
    if (!result.is_cuda() || result.scalar_type() != c10::kFloat) {
        return 0;
    }
    const at::Context& context = at::globalContext();
    const ir::Operator op(target);
    const bool isRounded = op.is(ir::Trait::Convolves)
                               ? context.allowTF32CuDNN(at::Float32Op::CONV)
                               : op.is(ir::Trait::TensorFloat32) && context.allowTF32CuBLAS();
    return isRounded ? tenBits : 0;
}

ExactFloat32Products::ExactFloat32Products() {
    const std::lock_guard lock(found.mutex);
    if (found.users++ == 0) {
        found.convolutions = at::globalContext().allowTF32CuDNN(at::Float32Op::CONV);
        found.products = at::globalContext().allowTF32CuBLAS();
        at::globalContext().setAllowTF32CuDNN(false);
        at::globalContext().setAllowTF32CuBLAS(false);
    }
}

ExactFloat32Products::~ExactFloat32Products() {
    const std::lock_guard lock(found.mutex);
    if (--found.users == 0) {
        at::globalContext().setAllowTF32CuDNN(found.convolutions);
        at::globalContext().setAllowTF32CuBLAS(found.products);
    }
}

} // namespace aotscope::torch
