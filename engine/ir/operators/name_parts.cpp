#include "ir/operators/name_parts.h"

#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include "base/text_search.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

struct DeedOfPart {
    std::string_view part;
    std::string_view deed;
};
/// The first that fits.
constexpr DeedOfPart deedsOfParts[] = {
    {"aten.mm", "multiplies matrices"},
    {"bmm", "multiplies matrices"},
    {"addm", "multiplies matrices"},
    {"aten.mv", "multiplies matrices"},
    {"aten.dot", "multiplies matrices"},
    {"aten.vdot", "multiplies matrices"},
    {"matmul", "multiplies matrices"},
    {"linear", "multiplies matrices"},
    {"_scaled_mm", "multiplies matrices"},
    {"_int_mm", "multiplies matrices"},
    {"conv", "is a convolution"},
    {"attention", "is attention"},
    {"batch_norm", "reduces dimensions that are not the innermost"},
    {"embedding", "reads or writes by index"},
    {"index", "reads or writes by index"},
    {"gather", "reads or writes by index"},
    {"scatter", "reads or writes by index"},
    {"take", "reads or writes by index"},
    {"put", "reads or writes by index"},
    {"nll_loss", "reads or writes by index"},
    {"select_backward", "writes a part of its result"},
    {"reflection_pad", "pads"},
    {"replication_pad", "pads"},
    {"pool", "reduces windows"},
    {"upsample", "interpolates"},
    {"grid_sampler", "interpolates"},
    {"cums", "scans along a dimension"},
    {"cump", "scans along a dimension"},
    {"cumm", "scans along a dimension"},
    {"sort", "sorts"},
    {"median", "sorts"},
    {"nonzero", "has a result whose size depends on values"},
    {"masked_select", "has a result whose size depends on values"},
    {"unique", "has a result whose size depends on values"},
    {"_fft_", "is a Fourier transform"},
    {"_foreach_", "works on lists of tensors"},
    {"_cudnn", "belongs to a library"},
    {"_assert", "checks a condition"},
    {"empty", "allocates memory without values"},
    {"lstm", "is a recurrent network"},
    {"gru", "is a recurrent network"},
};

constexpr std::string_view fusibleNames[] = {
    "angle",
    "conj_physical",
    "digamma",
    "erfinv",
    "float_power",
    "frexp",
    "gcd",
    "i0",
    "igamma",
    "igammac",
    "lcm",
    "ldexp",
    "mvlgamma",
    "nextafter",
    "polygamma",
    "rrelu",
    "sinc",
    "special_",
    "aminmax",
    "count_nonzero",
    "nansum",
    "log_sigmoid_forward",
    "log_sigmoid_backward",
    "binary_cross_entropy",
    "smooth_l1_loss",
    "huber_loss",
    "l1_loss",
    "soft_margin_loss",
    "heaviside",
    "logit",
    "logaddexp2",
    "signbit",
};

constexpr std::string_view randomParts[] = {
    "rand",        "bernoulli",   "dropout", "normal",           "uniform",
    "multinomial", "exponential", "poisson", "rrelu_with_noise", "geometric",
    "cauchy",      "philox",      "rng",     "attention",        "flash"};

} // namespace

std::string_view deedOf(std::string_view target) {
    const std::string_view own = Operator(target)->deed;
    const auto* row = std::ranges::find_if(
        deedsOfParts, [&](const DeedOfPart& each) { return base::contains(target, each.part); });
    return own.empty() && row != std::end(deedsOfParts) ? row->deed : own;
}

bool drawsByName(std::string_view target) {
    // The gradients of dropout read the mask.
    return !target.starts_with("aten.native_dropout_backward") &&
           !target.starts_with("rngprims.philox_rand") && !base::contains(target, "batch_norm") &&
           !base::contains(target, "layer_norm") && !base::contains(target, "group_norm") &&
           std::ranges::any_of(randomParts,
                               [&](std::string_view part) { return base::contains(target, part); });
}

bool couldBeFused(std::string_view target) {
    const OperatorName called = splitTarget(target);
    return (called.space == "aten" || called.space == "prims") &&
           std::ranges::any_of(fusibleNames,
                               [&](std::string_view each) { return called.name.starts_with(each); });
}

} // namespace aotscope::ir
