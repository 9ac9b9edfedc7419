#include "kernels/fused_kernel.h"

#include "kernels/index_expression.h"
#include "kernels/kernel_texts.h"
#include "kernels/scan_text.h"

namespace aotscope::kernels {

std::int64_t TensorLayout::elements() const {
    return product(sizes);
}

std::int64_t KernelParameter::reach() const {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < layout.sizes.size(); ++i) {
        if (layout.sizes[i] == 0) {
            return 0;
        }
        last += (layout.sizes[i] - 1) * layout.strides[i];
    }
    return last + 1;
}

std::string cudaText(std::string_view name, std::string_view source) {
    return std::string(detail::preludeText()) + "#line 1 \"" + std::string(name) + ".cu\"\n" +
           std::string(source) + (source.ends_with('\n') ? "" : "\n");
}

std::vector<std::string> cudaCompileOptions() {
    return {"--std=c++17", "--fmad=false"};
}

std::string hostPreludeText() {
    return std::string(detail::hostShimText()) + std::string(detail::preludeText());
}

std::string hostEntryText(std::string_view name, std::string_view source) {
    // Whether threads of a block wait for each other, also by a function of the prelude.
    const bool synchronises = hasOneOf(source, {"__sync", "__shfl", "__shared__", "reduce_row"});
    return "AOTSCOPE_HOST_ENTRY(" + std::string(name) + ", " + (synchronises ? "true" : "false") + ")\n";
}

std::string hostEntryName(std::string_view name) {
    return std::string(name) + "_host";
}

std::vector<std::string> hostCompileOptions() {
    return {"-std=c++17", "-ffp-contract=off", "-fno-fast-math", "-fwrapv", "-w"};
}

} // namespace aotscope::kernels
