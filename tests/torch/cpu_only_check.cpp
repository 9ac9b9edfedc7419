#include "cpu_only_check.h"

#include "run/replacements/cpu_only.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>

#include <limits>
#include <map>
#include <stdexcept>

namespace aotscope::test {

namespace {

using c10::IValue;
using Values = std::vector<IValue>;

constexpr char attention[] = "aten._scaled_dot_product_flash_attention_for_cpu.default";
constexpr char attentionBackward[] = "aten._scaled_dot_product_flash_attention_for_cpu_backward.default";
constexpr char layerNorm[] = "aten.native_layer_norm.default";
constexpr char layerNormBackward[] = "aten.native_layer_norm_backward.default";

c10::ScalarType typeOf(const std::string& name) {
    const std::map<std::string, c10::ScalarType> types{
        {"Float", at::kFloat}, {"Double", at::kDouble}, {"BFloat16", at::kBFloat16}};
    return types.at(name);
}

c10::OperatorHandle operatorOf(const std::string& target) {
    const auto op = torch::findOperator(target);
    if (!op) {
        throw std::runtime_error("there is no " + target);
    }
    return *op;
}

std::vector<at::Tensor> tensorsOf(const IValue& value) {
    std::vector<at::Tensor> tensors;
    for (const IValue& element : value.toTupleRef().elements()) {
        tensors.push_back(element.toTensor());
    }
    return tensors;
}

double distance(const at::Tensor& made, const at::Tensor& expected) {
    if (made.scalar_type() != expected.scalar_type() || made.sizes() != expected.sizes() ||
        made.strides() != expected.strides()) {
        return std::numeric_limits<double>::infinity();
    }
    const at::Tensor right = expected.to(at::kDouble);
    return (made.to(at::kDouble) - right).abs().max().item<double>() / right.abs().max().item<double>();
}

std::vector<at::Tensor> byKernel(const char* target, const Values& args, const torch::NamedValues& named) {
    return tensorsOf(torch::callOperator(operatorOf(target), args, named));
}

void compare(const char* target, const Values& args, const torch::NamedValues& named,
             std::vector<double>& distances) {
    torch::RunContext context;
    const auto replaced = torch::callCpuOnly(operatorOf(target), target, args, named, context);
    if (!replaced || context.notes.size() != 1) {
        throw std::runtime_error(std::string(target) + " is not replaced, or no note says so");
    }
    const std::vector<at::Tensor> made = tensorsOf(*replaced);
    const std::vector<at::Tensor> expected = byKernel(target, args, named);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        distances.push_back(distance(made.at(i), expected[i]));
    }
}

at::Tensor headsOf(std::int64_t positions, c10::ScalarType dtype) {
    return at::randn({2, positions, 4, 16}, at::TensorOptions(dtype)).transpose(1, 2);
}

/// A copy with the dimensions in that order in memory.
at::Tensor laidOut(const at::Tensor& tensor, const std::vector<std::int64_t>& order) {
    std::vector<std::int64_t> back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    }
    return tensor.permute(order).contiguous().permute(back);
}

} // namespace

std::vector<double> attentionDistances(const AttentionCase& given) {
    at::manual_seed(3);
    const c10::ScalarType dtype = typeOf(given.dtype);
    const IValue query = laidOut(headsOf(given.queries, dtype), given.layout);
    const IValue key = headsOf(given.keys, dtype);
    const IValue value = headsOf(given.keys, dtype);
    const IValue mask =
        given.mask.empty() ? IValue() : IValue(at::randn(given.mask, at::TensorOptions(dtype)));
    const torch::NamedValues named{{"attn_mask", mask}, {"scale", 0.3}};
    const Values forward{query, key, value, 0.0, given.isCausal};
    std::vector<double> distances;
    compare(attention, forward, named, distances);
    const std::vector<at::Tensor> results = byKernel(attention, forward, named);
    compare(attentionBackward,
            {headsOf(given.queries, dtype), query, key, value, results[0], results[1], 0.0, given.isCausal},
            named, distances);
    return distances;
}

std::vector<double> layerNormDistances() {
    at::manual_seed(3);
    const at::TensorOptions small(at::kBFloat16);
    const at::Tensor input = at::randn({6, 32}, small);
    const at::Tensor weight = at::randn({32});
    const at::Tensor bias = at::randn({32});
    const std::vector<std::int64_t> shape{32};
    std::vector<double> distances;
    compare(layerNorm, {input, shape, weight, bias, 1e-5}, {}, distances);
    const std::vector<at::Tensor> results = byKernel(layerNorm, {input, shape, weight, bias, 1e-5}, {});
    compare(layerNormBackward,
            {at::randn({6, 32}, small), input, shape, results[1], results[2], weight, bias,
             c10::List<bool>({true, true, true})},
            {}, distances);
    return distances;
}

bool replacesLayerNorm(const std::string& input, const std::string& weight) {
    const IValue scale = weight.empty() ? IValue() : IValue(at::rand({8}, at::TensorOptions(typeOf(weight))));
    return torch::isCpuOnly(layerNorm, {at::rand({2, 8}, at::TensorOptions(typeOf(input))),
                                        std::vector<std::int64_t>{8}, scale, IValue(), 1e-5});
}

bool hasKernel(const std::string& target, bool onGpu) {
    return torch::runsOn(operatorOf(target), onGpu ? c10::kCUDA : c10::kCPU);
}

} // namespace aotscope::test
