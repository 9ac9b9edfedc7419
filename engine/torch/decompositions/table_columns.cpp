#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"

/// im2col and col2im: windows of images as columns of a matrix, and back.
namespace aotscope::torch::decomposed {

namespace {

using Sizes = std::vector<c10::SymInt>;

/// The arguments of `nn.Unfold` and `nn.Fold`, for two dimensions.
struct Windows {
    explicit Windows(const DecompositionCall& call)
        : kernel(call.symInts("kernel_size")),
          dilation(call.symInts("dilation")),
          padding(call.symInts("padding")),
          stride(call.symInts("stride")) {
        TORCH_CHECK(kernel.size() == 2 && dilation.size() == 2 && padding.size() == 2 && stride.size() == 2,
                    "only windows of two dimensions are supported");
    }

    /// The number of windows along a dimension of this size.
    [[nodiscard]] c10::SymInt count(const c10::SymInt& size, std::size_t dim) const {
        return (size + 2 * padding[dim] - dilation[dim] * (kernel[dim] - 1) - 1) / stride[dim] + 1;
    }

    /// Positions in the padded image along a dimension: a row for each element of a window.
    [[nodiscard]] at::Tensor indices(const c10::SymInt& size, std::size_t dim, c10::Device device) const {
        const at::TensorOptions options = python::options(c10::kLong, device);
        const auto range = [&](const c10::SymInt& end, const c10::SymInt& step) {
            return at::arange(0, c10::Scalar(end), c10::Scalar(step), options);
        };
        const c10::SymInt reach = size + padding[dim] * 2 - dilation[dim] * (kernel[dim] - 1);
        const at::Tensor starts = range(reach, stride[dim]).unsqueeze(0);
        const at::Tensor within = range(kernel[dim] * dilation[dim], dilation[dim]).unsqueeze(-1);
        return starts + within;
    }

    /// In the order of `F.pad`: the last dimension first.
    [[nodiscard]] Sizes paddedBy(std::int64_t sign) const {
        return {sign * padding[1], sign * padding[1], sign * padding[0], sign * padding[0]};
    }

    Sizes kernel;
    Sizes dilation;
    Sizes padding;
    Sizes stride;
};

} // namespace

Decomposed im2col(const DecompositionCall& call) {
    at::Tensor input = call.tensor("self");
    const Windows windows(call);
    for (std::size_t dim = 0; dim < 2; ++dim) {
        const c10::SymInt size = input.sym_size(static_cast<std::int64_t>(dim) - 2);
        TORCH_CHECK(windows.count(size, dim).sym_gt(0).guard_bool(__FILE__, __LINE__), "an image of ", size,
                    " elements has no room for a window");
    }
    const bool batched = input.dim() == 4;
    if (!batched) {
        input = input.unsqueeze(0);
    }
    const Sizes sizes = python::sizes(input);
    at::Tensor rows = windows.indices(sizes[2], 0, input.device());
    const at::Tensor columns = windows.indices(sizes[3], 1, input.device());
    const at::Tensor padded = at::pad_symint(input, windows.paddedBy(1));
    rows = rows.unsqueeze(-1).unsqueeze(-1);
    const at::Tensor read =
        at::index(padded, python::indexAt(2, {rows, columns})).permute({0, 1, 2, 4, 3, 5});
    const at::Tensor output = read.reshape_symint(
        {sizes[0], sizes[1] * windows.kernel[0] * windows.kernel[1], rows.sym_size(1) * columns.sym_size(1)});
    return batched ? output : output.squeeze(0);
}

/// The gradient of im2col: adds the columns up in the padded image, then crops it.
Decomposed col2im(const DecompositionCall& call) {
    auto [cast, input] = python::castOperands(call, "self");
    const Windows windows(call);
    const Sizes image = call.symInts("output_size");
    const Sizes count = {windows.count(image[0], 0), windows.count(image[1], 1)};
    const bool batched = input.dim() == 3;
    if (!batched) {
        input = input.unsqueeze(0);
    }
    const c10::SymInt batch = input.sym_size(0);
    const c10::SymInt channels = input.sym_size(1) / (windows.kernel[0] * windows.kernel[1]);
    input = input.reshape_symint({batch, channels, windows.kernel[0], windows.kernel[1], count[0], count[1]});
    input = input.permute({0, 1, 2, 4, 3, 5});
    const at::Tensor rows = python::unsqueezeToDim(windows.indices(image[0], 0, input.device()), 4);
    const at::Tensor columns = windows.indices(image[1], 1, input.device());
    const at::Tensor zeros = python::newZeros(
        input, {batch, channels, image[0] + 2 * windows.padding[0], image[1] + 2 * windows.padding[1]});
    const at::Tensor written = at::_unsafe_index_put(zeros, python::indexAt(2, {rows, columns}), input, true);
    const at::Tensor output = at::pad_symint(written, windows.paddedBy(-1));
    return cast.back(batched ? output : output.squeeze(0));
}

} // namespace aotscope::torch::decomposed
