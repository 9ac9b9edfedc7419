#pragma once

#include "ir/dtype.h"
#include "ir/graph.h"

#include "base/describe.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Fused kernels: groups of a graph's nodes as readable CUDA C++, one kernel for each group.
namespace aotscope::kernels {

/// A tensor that a kernel reads or writes: the value of a node, or one of several.
struct TensorName {
    ir::NodeId node;
    /// Which of the values of a node with several (`var_mean`); 0 for other nodes.
    std::size_t result = 0;
    friend bool operator==(const TensorName&, const TensorName&) = default;
    friend auto operator<=>(const TensorName&, const TensorName&) = default;
};

/// How a tensor lies in memory, in elements. All numbers are those of one run: kernels are specialised to
/// sizes and strides, so that divisions of indices are by constants, vector loads are decided when the text
/// is written, and a person reads numbers in place of parameters. Another size is another kernel.
struct TensorLayout {
    ir::DType dtype = ir::DType::Unknown;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;

    [[nodiscard]] std::int64_t elements() const;
    friend bool operator==(const TensorLayout&, const TensorLayout&) = default;
};

/// A parameter of a kernel: always one pointer to the first element of a tensor.
struct KernelParameter {
    /// "in0", "out1"
    std::string name;
    TensorName tensor;
    TensorLayout layout;
    bool written = false;
    /// Elements from the pointer to the end of what the kernel may touch.
    [[nodiscard]] std::int64_t reach() const;
};

/// How many blocks and threads; both are one-dimensional. Kernels loop over what their grid does not cover
/// (`for (row = blockIdx.x; row < rows; row += gridDim.x)`), so that fewer blocks give the same results.
struct KernelLaunch {
    std::uint32_t grid = 1;
    /// Part of the text of kernels that reduce (`blockSize`), so that others than this are refused there.
    std::uint32_t block = 256;
    /// Shared memory that is not in the text. Static shared memory is the compiler's to report.
    std::size_t dynamicSharedBytes = 0;
    friend bool operator==(const KernelLaunch&, const KernelLaunch&) = default;
};
AOTSCOPE_MEMBERS(KernelLaunch, grid, block, dynamicSharedBytes)

/// A line of the source, from 1, and the node whose value it computes, loads or stores.
struct KernelLine {
    std::size_t line = 0;
    ir::NodeId node;
};

enum class KernelKind : std::uint8_t {
    /// Every element of the output on its own.
    Pointwise,
    /// Rows of contiguous elements, each reduced by one block or warp, with everything that is pointwise on
    /// the
    /// rows' elements or results.
    RowReduction,
};
AOTSCOPE_WORDS(KernelKind, "pointwise", "rows")

/// A group of nodes as one kernel.
struct FusedKernel {
    /// "fused_add_relu_3": the function's name.
    std::string name;
    KernelKind kind = KernelKind::Pointwise;
    /// What a person reads and edits: `extern "C" __global__ void NAME(…)` and its helpers. What is compiled
    /// is `cudaText` of it, or it between `hostPreludeText` and `hostEntryText`.
    std::string source;
    /// In the function's order.
    std::vector<KernelParameter> parameters;
    KernelLaunch launch;
    /// The iteration space: elements of a pointwise kernel (columns 1), or rows and elements of each.
    std::int64_t rows = 0;
    std::int64_t columns = 1;
    /// The nodes that it computes, views among them, in program order.
    std::vector<ir::NodeId> nodes;
    std::vector<KernelLine> lines;
    /// Equal for kernels whose text differs in name and comments alone: they need one compilation.
    std::string bodyKey;
};

/// What NVRTC compiles: `resources/kernel_prelude.cuh` (conversions of half, bfloat16 and float8, vector
/// loads, reductions; it includes no header), then the source. Line numbers in messages are those of `source`
/// (`#line 1 "NAME.cu"`).
[[nodiscard]] std::string cudaText(std::string_view name, std::string_view source);

/// NVRTC options that keep numbers equal to eager's: no contraction of a product and a sum, which are two
/// kernels in eager.
[[nodiscard]] std::vector<std::string> cudaCompileOptions();

/// What a host compiler (C++17 or later, GCC or Clang) compiles: `resources/kernel_host_shim.h`, the prelude,
/// the source, and the kernel's entry. Several kernels may follow one `hostPreludeText`.
[[nodiscard]] std::string hostPreludeText();
/// The source and its entry
/// `extern "C" void NAME_host(void** parameters, unsigned grid, unsigned block, unsigned
/// dynamicSharedBytes)`, where `parameters[i]` is the address of the i-th pointer, as for cuLaunchKernel.
/// Reads the parameters' types from the source, so that edited sources work. All threads of a block run, in
/// fibers when the kernel synchronises.
[[nodiscard]] std::string hostEntryText(std::string_view name, std::string_view source);
/// "NAME_host"
[[nodiscard]] std::string hostEntryName(std::string_view name);
/// Options that give the host compiler's arithmetic the rules of the tests against ATen: no contraction of
/// products and sums, no reordering.
[[nodiscard]] std::vector<std::string> hostCompileOptions();

/// Type of the host entry.
using HostEntry = void (*)(void** parameters, unsigned grid, unsigned block, unsigned dynamicSharedBytes);

} // namespace aotscope::kernels
