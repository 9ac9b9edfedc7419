#include "torch/kernels/exact_nodes.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/map_tensors.h"
#include "run/laid_out_like.h"
#include "run/value_access.h"

#include "aot/tensor_elements.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"
#include "passes/op_facts.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/where.h>

#include <algorithm>
#include <cmath>

namespace aotscope::torch {

namespace {

using c10::IValue;

double roundoffOf(const at::Tensor& tensor) {
    return aot::unitRoundoff(dtypeOf(tensor.scalar_type()));
}

bool isFloat(const at::Tensor& tensor) {
    return tensor.is_floating_point() || tensor.is_complex();
}

bool sameSizes(const IValue& left, const IValue& right) {
    return std::ranges::equal(
        tensorsIn(left), tensorsIn(right),
        [](const at::Tensor& one, const at::Tensor& other) { return one.sizes() == other.sizes(); });
}

/// Smaller types are added up in float32.
double addedUpIn(const std::vector<at::Tensor>& results) {
    double roundoff = std::ldexp(1.0, -24);
    for (const at::Tensor& result : results) {
        roundoff = std::min(roundoff, roundoffOf(result));
    }
    return roundoff;
}

/// "sum" of "aten.sum.dim_IntList"
std::string_view nameOf(std::string_view target) {
    return ir::splitTarget(target).name;
}

/// Float64 numbers that the dtype can hold.
at::Tensor inType(const at::Tensor& tensor, c10::ScalarType type) {
    // Only float can be converted to float8.
    const at::Tensor plain = c10::elementSize(type) == 1 ? tensor.to(c10::kFloat) : tensor;
    return plain.to(type).to(tensor.scalar_type());
}

} // namespace

ExactNodes::ExactNodes(const ir::Graph& graph, RunContext& context, std::optional<std::uint64_t> roundings)
    : m_graph(graph),
      m_context(context),
      m_executor(context),
      m_reference(graph, m_executor),
      m_frame(graph, context),
      m_rounds(roundings.has_value()),
      m_generator(at::make_generator<at::CPUGeneratorImpl>(roundings.value_or(0))) {}

void ExactNodes::take(ir::NodeId node, const IValue& made) {
    value(node) = m_copier(made);
}

void ExactNodes::compute(ir::NodeId id, const IValue& made) {
    if (m_graph.node(id).op == ir::Opcode::GetAttr || !m_context.nodeStandIns.empty()) {
        value(id) = Float64Copier()(made);
        return;
    }
    const bool moves = movesOnly(id);
    const std::vector<IValue> inputs = operandsOf(id, made, moves);
    const ExactValue exact = m_reference.compute(id, inputs, std::vector<IValue>(inputs.size()), &made);
    if (!exact.instead.empty() && !exact.isTakenOver && readsFloats(id)) {
        fail("run.no_float64", m_graph.node(id).target + " " + exact.instead);
    }
    if (moves || exact.isTakenOver) {
        value(id) = exact.value;
        return;
    }
    // Later views need the strides of the run's value. Sizes that data decide may be others.
    value(id) = sameSizes(exact.value, made) ? laidOutLike(exact.value, made) : Float64Copier()(made);
    if (m_rounds) {
        roundLike(made, id);
    }
}

bool ExactNodes::readsFloats(ir::NodeId id) const {
    return std::ranges::any_of(m_graph.inputs(id), [this](ir::NodeId input) {
        return std::ranges::any_of(tensorsIn(m_frame.values[input.index()]), isFloat);
    });
}

/// What an operator adds up inside, it rounds inside: as if its operands were a little off.
std::vector<IValue> ExactNodes::operandsOf(ir::NodeId id, const IValue& made, bool moves) {
    const ir::Node& node = m_graph.node(id);
    const std::vector<at::Tensor> results = tensorsIn(made);
    const bool isMutable = (passes::opFlags(node.target) & passes::OpMutable) != 0;
    // Where results are positions, equal operands must stay equal.
    const bool addsUp = !moves && !isMutable && !ir::Operator(node.target).is(ir::Trait::Pointwise) &&
                        !results.empty() &&
                        !ir::operatorNamed(nameOf(node.target)).is(ir::Trait::MovesValues) &&
                        std::ranges::all_of(results, isFloat);
    if (!m_rounds || !addsUp) {
        return m_frame.values;
    }
    std::vector<IValue> changed(m_frame.values.size());
    for (const ir::NodeId input : m_graph.inputs(id)) {
        changed[input.index()] = mapTensors(value(input), [&](const at::Tensor& tensor) {
            return isFloat(tensor) ? moved(tensor, addedUpIn(results)) : tensor;
        });
    }
    return changed;
}

/// Each number a fraction larger or smaller, by chance.
at::Tensor ExactNodes::moved(const at::Tensor& tensor, double fraction) {
    const at::Tensor signs =
        at::randint(0, 2, tensor.sizes(), m_generator, at::TensorOptions(c10::kDouble)).mul(2).sub(1);
    return tensor.mul(signs.mul(fraction).add(1).to(tensor.device()));
}

void ExactNodes::roundLike(const IValue& made, ir::NodeId id) {
    const std::vector<at::Tensor> exacts = tensorsIn(value(id));
    const std::vector<at::Tensor> results = tensorsIn(made);
    for (std::size_t i = 0; i < exacts.size(); ++i) {
        const c10::ScalarType type = results[i].scalar_type();
        // An element that lies at several places cannot be written to.
        const auto strides = exacts[i].strides();
        if (isFloat(results[i]) && exacts[i].layout() == c10::kStrided && roundoffOf(results[i]) > 0 &&
            std::ranges::find(strides, 0) == strides.end()) {
            const at::Tensor nearest = inType(exacts[i], type);
            const at::Tensor beside = inType(moved(exacts[i], roundoffOf(results[i])), type);
            exacts[i].copy_(at::where(nearest.eq(exacts[i]), exacts[i], beside));
        }
    }
}

} // namespace aotscope::torch
