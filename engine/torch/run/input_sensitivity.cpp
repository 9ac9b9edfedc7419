#include "run/input_sensitivity.h"

#include "dispatch/dtypes.h"
#include "dispatch/map_tensors.h"
#include "run/value_access.h"

#include "aot/tensor_elements.h"

#include <ATen/ops/randint.h>

#include <algorithm>
#include <cmath>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// A float64 tensor whose numbers differ from this one's by a fraction of at most `size`, in random
/// directions or, with a sign, all in one.
at::Tensor shifted(const at::Tensor& tensor, double size, double sign, at::Generator& generator) {
    if (!tensor.is_floating_point() && !tensor.is_complex()) {
        return tensor;
    }
    if (sign != 0) {
        return tensor.mul(1 + sign * size);
    }
    const at::Tensor signs =
        at::randint(-1, 2, tensor.sizes(), generator, at::TensorOptions(c10::kDouble)).to(tensor.device());
    return tensor.mul(signs.mul(size).add(1));
}

/// Sums of many terms in float32 may be off by this many times what one rounding of each term does;
/// smaller types are summed in float32.
double factorOf(const at::Tensor& computed) {
    return aot::unitRoundoff(dtypeOf(computed.scalar_type())) > std::ldexp(1.0, -24) ? 2 : 64;
}

} // namespace

std::vector<at::Tensor> resultsNearby(ReferenceFrame& reference, const ir::Graph& graph, ir::NodeId node,
                                      const NodeValues& values, at::Generator& shifts) {
    double roundoff = std::ldexp(1.0, -24);
    for (const at::Tensor& computed : values.results) {
        roundoff = std::max(roundoff, aot::unitRoundoff(dtypeOf(computed.scalar_type())));
    }
    std::vector<at::Tensor> nearby;
    for (const double sign : {0.0, 1.0, -1.0}) {
        std::vector<IValue> changed(values.inputs.size());
        for (const ir::NodeId input : graph.inputs(node)) {
            changed[input.index()] = mapTensors(values.inputs[input.index()], [&](const at::Tensor& tensor) {
                return shifted(tensor, roundoff, sign, shifts);
            });
        }
        for (const at::Tensor& tensor :
             tensorsIn(reference.compute(node, changed, values.own, nullptr).value)) {
            nearby.push_back(tensor);
        }
    }
    return nearby;
}

void measureErrors(const ComparedValue& compared, std::span<const at::Tensor> nearby, std::size_t output,
                   std::size_t outputs, session::NodeError& error) {
    std::vector<at::Tensor> alternatives;
    for (std::size_t at = output; at < nearby.size(); at += outputs) {
        alternatives.push_back(nearby[at]);
    }
    const bool isFloat = compared.computed.is_floating_point() || compared.computed.is_complex();
    double sensitivity = 0;
    if (isFloat && !alternatives.empty() && alternatives[0].sizes() == compared.exact.sizes()) {
        sensitivity = factorOf(compared.computed) * largestDifference(alternatives[0], compared.exact);
    }
    measureErrors(compared, sensitivity, alternatives, error);
}

} // namespace aotscope::torch
