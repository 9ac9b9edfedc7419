// What a GPU computes in place of calls that only the CPU's kernels take.
#include "cpu_only_check.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace aotscope;

namespace {

void checkAll(const std::vector<double>& distances, std::size_t count, double allowed) {
    CHECK(distances.size() == count);
    for (const double distance : distances) {
        CHECK(distance <= allowed);
    }
}

} // namespace

TEST_CASE("the CPU's attention and its backward, in its layout") {
    // Output and log-sum-exp; the gradients of queries, keys and values.
    checkAll(test::attentionDistances({7, 7}), 5, 1e-5);
    checkAll(test::attentionDistances({5, 9, false, {}, "Double"}), 5, 1e-12);
    checkAll(test::attentionDistances({8, 8, false, {}, "BFloat16"}), 5, 2e-2);
}

TEST_CASE("the CPU's attention lays its output out as its queries are") {
    checkAll(test::attentionDistances({.queries = 5, .keys = 9, .layout = {0, 1, 2, 3}}), 5, 1e-5);
    checkAll(test::attentionDistances({.queries = 5, .keys = 9, .layout = {2, 0, 1, 3}}), 5, 1e-5);
}

TEST_CASE("the CPU's attention to earlier positions alone, and with a bias") {
    checkAll(test::attentionDistances({7, 7, true}), 5, 1e-5);
    checkAll(test::attentionDistances({5, 9, false, {2, 4, 5, 9}}), 5, 1e-5);
    checkAll(test::attentionDistances({5, 9, false, {1, 1, 5, 9}}), 5, 1e-5);
}

TEST_CASE("a layer norm of small floats with float32 weights, and its backward") {
    checkAll(test::layerNormDistances(), 6, 1e-2);
}

TEST_CASE("what a GPU's kernel takes as well is not replaced") {
    CHECK(test::replacesLayerNorm("BFloat16", "Float"));
    CHECK_FALSE(test::replacesLayerNorm("BFloat16", "BFloat16"));
    CHECK_FALSE(test::replacesLayerNorm("Float", "Float"));
    CHECK_FALSE(test::replacesLayerNorm("Float", ""));
}

TEST_CASE("an operator runs where it has a kernel, its own or that of what it is made of") {
    CHECK_FALSE(test::hasKernel("aten._scaled_dot_product_flash_attention.default", false));
    CHECK(test::hasKernel("aten._scaled_dot_product_flash_attention_for_cpu.default", false));
    CHECK_FALSE(test::hasKernel("aten._scaled_dot_product_flash_attention_for_cpu.default", true));
    // Those that make a tensor from nothing have no kernel of a device.
    CHECK(test::hasKernel("aten.arange.default", false));
    CHECK(test::hasKernel("aten.arange.default", true));
    CHECK(test::hasKernel("aten.linear.default", false));
    CHECK(test::hasKernel("aten.linear.default", true));
}
