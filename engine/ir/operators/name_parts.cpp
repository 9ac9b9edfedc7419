#include "ir/operators/name_parts.h"

#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include "base/text_search.h"

namespace aotscope::ir {
namespace {

struct DeedOfParts {
    std::string_view deed;
    /// With spaces between them.
    std::string_view parts;
};
/// The first that fits.
constexpr DeedOfParts deedsOfParts[] = {
    {"multiplies matrices", "aten.mm bmm addm aten.mv aten.dot aten.vdot matmul linear _scaled_mm _int_mm"},
    {"is a convolution", "conv"},
    {"is attention", "attention"},
    {"reduces dimensions that are not the innermost", "batch_norm"},
    {"reads or writes by index", "embedding index gather scatter take put nll_loss"},
    {"pads", "reflection_pad replication_pad"},
    {"reduces windows", "pool"},
    {"interpolates", "upsample grid_sampler"},
    {"scans along a dimension", "cums cump cumm"},
    {"sorts", "sort median"},
    {"has a result whose size depends on values", "nonzero masked_select unique"},
    {"is a Fourier transform", "_fft_"},
    {"works on lists of tensors", "_foreach_"},
    {"belongs to a library", "_cudnn"},
    {"checks a condition", "_assert"},
    {"allocates memory without values", "empty"},
    {"is a recurrent network", "lstm gru"},
};

constexpr std::string_view fusibleNames =
    "angle conj_physical digamma erfinv float_power frexp gcd i0 igamma igammac lcm ldexp mvlgamma nextafter "
    "polygamma rrelu sinc special_ aminmax count_nonzero nansum log_sigmoid_forward log_sigmoid_backward "
    "binary_cross_entropy smooth_l1_loss huber_loss l1_loss soft_margin_loss heaviside logit logaddexp2 "
    "signbit";
constexpr std::string_view randomParts =
    "rand bernoulli dropout normal uniform multinomial exponential poisson rrelu_with_noise geometric cauchy "
    "philox rng attention flash";

bool hasPart(std::string_view target, std::string_view parts) {
    return base::anyWord(parts, [&](std::string_view part) { return base::contains(target, part); });
}

} // namespace

std::string_view deedOf(std::string_view target) {
    if (const std::string_view own = Operator(target)->deed; !own.empty()) {
        return own;
    }
    for (const DeedOfParts& row : deedsOfParts) {
        if (hasPart(target, row.parts)) {
            return row.deed;
        }
    }
    return {};
}

bool drawsByName(std::string_view target) {
    // The gradients of dropout read the mask.
    return hasPart(target, randomParts) && !target.starts_with("aten.native_dropout_backward") &&
           !target.starts_with("rngprims.philox_rand") &&
           !hasPart(target, "batch_norm layer_norm group_norm");
}

bool couldBeFused(std::string_view target) {
    const OperatorName called = splitTarget(target);
    return (called.space == "aten" || called.space == "prims") &&
           base::anyWord(fusibleNames, [&](std::string_view name) { return called.name.starts_with(name); });
}

} // namespace aotscope::ir
