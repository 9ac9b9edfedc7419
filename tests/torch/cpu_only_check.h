#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// What a GPU computes in place of calls that only the CPU's kernels take, beside these kernels: both on the
/// CPU.
namespace aotscope::test {

struct AttentionCase {
    std::int64_t queries = 0;
    std::int64_t keys = 0;
    bool isCausal = false;
    /// The shape of a float mask; empty: there is none.
    std::vector<std::int64_t> mask = {};
    /// "Float", "Double", "BFloat16"
    std::string dtype = "Float";
    /// The order of batch (0), heads (1), positions (2) and features (3) in the queries' memory.
    std::vector<std::int64_t> layout = {0, 2, 1, 3};
};

/// Of each result of the forward and then of the backward: the largest difference, as a fraction of the
/// largest magnitude. Infinite: another dtype, shape or strides.
[[nodiscard]] std::vector<double> attentionDistances(const AttentionCase& given);
/// The same of a layer norm of bfloat16 with float32 weights.
[[nodiscard]] std::vector<double> layerNormDistances();
/// Whether a layer norm with a weight of that dtype, or none, is replaced on a GPU.
[[nodiscard]] bool replacesLayerNorm(const std::string& input, const std::string& weight);
/// Whether an operator runs on the CPU, or on a GPU.
[[nodiscard]] bool hasKernel(const std::string& target, bool onGpu);

} // namespace aotscope::test
