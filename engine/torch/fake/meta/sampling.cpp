#include "fake/meta/device_hint.h"
#include "fake/meta/layouts.h"
#include "fake/meta/rules.h"

#include <algorithm>
#include <array>

namespace aotscope::torch::shapes {

namespace {

/// The number of positions on and below the diagonal `offset` of a matrix.
std::int64_t belowDiagonal(std::int64_t rows, std::int64_t columns, std::int64_t offset) {
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < rows; ++row) {
        count += std::clamp<std::int64_t>(row + offset + 1, 0, columns);
    }
    return count;
}

at::Tensor positions(const ShapeCall& call, std::int64_t count) {
    return newEmpty({2, count}, call.dtype().value_or(c10::kLong));
}

} // namespace

ShapeResults gridSampler(const ShapeCall& call) {
    const at::Tensor input = call.tensor("input");
    const at::Tensor grid = call.tensor("grid");
    TORCH_CHECK(input.size(0) == grid.size(0) && grid.size(-1) == input.dim() - 2,
                "grid_sampler(): input of sizes ", input.sizes(), " and grid of sizes ", grid.sizes(),
                " do not fit together");
    Sizes sizes = {input.size(0), input.size(1)};
    const auto spatial = grid.sizes().slice(1, static_cast<std::size_t>(grid.dim()) - 2);
    sizes.insert(sizes.end(), spatial.begin(), spatial.end());
    return {newEmpty(input, sizes)};
}

ShapeResults gridSamplerBackward(const ShapeCall& call) {
    const bool wantsInput = call.flags("output_mask")[0];
    return {wantsInput ? emptyContiguous(call.tensor("input")) : at::Tensor(),
            emptyContiguous(call.tensor("grid"))};
}

/// The result has the memory format of the input.
ShapeResults upsample(const ShapeCall& call) {
    const at::Tensor input = call.firstTensor();
    Sizes sizes = {input.size(0), input.size(1)};
    const Sizes spatial = call.integers("output_size");
    sizes.insert(sizes.end(), spatial.begin(), spatial.end());
    TORCH_CHECK(static_cast<std::int64_t>(sizes.size()) == input.dim(),
                "It is expected input_size equals to ", sizes.size(), ", but got size ", input.dim());
    return {newEmpty(input, sizes, input.suggest_memory_format())};
}

ShapeResults upsampleBackward(const ShapeCall& call) {
    const at::Tensor gradOutput = call.tensor("grad_output");
    return {newEmpty(gradOutput, call.integers("input_size"), gradOutput.suggest_memory_format())};
}

ShapeResults roll(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    return {self.numel() == 0 ? self.clone() : emptyContiguous(self)};
}

ShapeResults trilIndices(const ShapeCall& call) {
    return {positions(call, belowDiagonal(call.integer("row"), call.integer("col"), call.integer("offset")))};
}

ShapeResults triuIndices(const ShapeCall& call) {
    const std::int64_t rows = call.integer("row");
    const std::int64_t columns = call.integer("col");
    return {positions(call, rows * columns - belowDiagonal(rows, columns, call.integer("offset") - 1))};
}

ShapeResults randomPermutation(const ShapeCall& call) {
    return {newEmpty({call.integer("n")}, call.dtype().value_or(c10::kLong))};
}

ShapeResults multinomial(const ShapeCall& call) {
    const at::Tensor self = call.tensor("self");
    TORCH_CHECK(self.dim() == 1 || self.dim() == 2,
                "The probability distributions dimensions must be 1 or 2, but got ", self.dim());
    Sizes sizes = sizesOf(self);
    sizes.back() = call.integer("num_samples");
    return {newEmpty(self, sizes, c10::kLong)};
}

ShapeResults binomial(const ShapeCall& call) {
    const std::array operands = {call.tensor("count"), call.tensor("prob")};
    return {elementwise(operands, operands[0].scalar_type())};
}

} // namespace aotscope::torch::shapes
