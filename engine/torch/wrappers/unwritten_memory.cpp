#include "wrappers/unwritten_memory.h"

#include "base/mapped.h"
#include "run/state/memory_limit.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"

#include "ir/bodies.h"
#include "ir/operator_name.h"
#include "ir/operators/operator.h"

#include <ATen/ops/isnan.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/view_as_real.h>
#include <c10/core/GradMode.h>
#include <c10/util/ScopeExit.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

/// The elements whose values differ, by more than other sums of the same numbers do.
at::Tensor differing(const at::Tensor& zeros, const at::Tensor& ones) {
    at::Tensor left = zeros;
    at::Tensor right = ones;
    if (left.is_complex()) {
        left = at::view_as_real(left.resolve_conj());
        right = at::view_as_real(right.resolve_conj());
    }
    at::Tensor differs = left.ne(right);
    if (left.is_floating_point()) {
        const at::Tensor neither = at::isnan(left).logical_and(at::isnan(right));
        const at::Tensor wideLeft = left.to(at::kDouble);
        const at::Tensor wideRight = right.to(at::kDouble);
        const at::Tensor near =
            wideLeft.sub(wideRight).abs().le(at::maximum(wideLeft.abs(), wideRight.abs()).mul(1e-2));
        differs = differs.logical_and(neither.logical_or(near).logical_not());
    }
    return zeros.is_complex() ? differs.any(-1) : differs;
}

at::Tensor comparable(const at::Tensor& tensor) {
    const bool isPlain = tensor.defined() && tensor.layout() == c10::kStrided && !tensor.is_quantized() &&
                         tensor.device().is_cpu();
    return isPlain ? tensor.detach() : at::Tensor();
}

} // namespace

bool leavesMemoryUnwritten(const ir::Graph& graph) {
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        if (const ir::GraphPtr inner = ir::bodyOf(graph, node); inner && leavesMemoryUnwritten(*inner)) {
            return true;
        }
        if ((node.op == ir::Opcode::CallFunction || node.op == ir::Opcode::CallMethod) &&
            (ir::Operator(node.target).is(ir::Trait::Uninitialized) ||
             // Dynamo's names: "torch.empty_like", "new_empty", "resize_".
             ir::operatorNamed(ir::lastPart(node.target))
                 .is(ir::Trait::Uninitialized | ir::Trait::LeavesUnwritten))) {
            return true;
        }
    }
    return false;
}

std::vector<at::Tensor> seenTensors(const CallerSide& side) {
    const std::vector<std::string> noNames(side.arguments.values.size());
    return base::mapped(seenValues(side, noNames), [](const auto& seen) {
        const at::Tensor* tensor = tensorIn(seen.second);
        return tensor == nullptr ? at::Tensor() : comparable(*tensor);
    });
}

UnwrittenElements unwrittenElements(const std::function<std::vector<at::Tensor>()>& call) {
    const auto filled = [&](std::uint8_t byte) {
        fillNewMemory(byte);
        const auto restored = c10::make_scope_exit([] { fillNewMemory(std::nullopt); });
        return call();
    };
    const std::vector<at::Tensor> zeros = filled(0);
    // As a float not a number, as an integer -1: what is computed from it shows it.
    const std::vector<at::Tensor> ones = filled(0xFF);
    UnwrittenElements elements(zeros.size());
    const c10::AutoGradMode noGrad(false);
    for (std::size_t i = 0; i < std::min(zeros.size(), ones.size()); ++i) {
        if (zeros[i].defined() && ones[i].defined() && zeros[i].sizes() == ones[i].sizes() &&
            zeros[i].numel() > 0) {
            const at::Tensor differs = differing(zeros[i], ones[i]);
            elements[i] = differs.any().item().toBool() ? differs : at::Tensor();
        }
    }
    return elements;
}

void clearUnwritten(const CallerSide& side, const UnwrittenElements& elements) {
    const c10::AutoGradMode noGrad(false);
    const std::vector<at::Tensor> seen = seenTensors(side);
    for (std::size_t i = 0; i < std::min(seen.size(), elements.size()); ++i) {
        if (elements[i].defined() && seen[i].defined() && seen[i].sizes() == elements[i].sizes()) {
            // variable_data has a separate version counter, so this write does not look like one of the call.
            const at::Tensor data = seen[i].variable_data();
            const at::Tensor once = oncePerElement(data);
            once.masked_fill_(elements[i].as_strided(once.sizes(), elements[i].strides()), 0);
        }
    }
}

void tellUnwritten(const CallerSide& side, const std::vector<std::string>& names,
                   const UnwrittenElements& elements, std::vector<steps::ComparedValue>& values) {
    const auto seen = seenValues(side, names);
    for (std::size_t i = 0; i < std::min(seen.size(), elements.size()); ++i) {
        const at::Tensor& unwritten = elements[i];
        const auto value = unwritten.defined()
                               ? std::ranges::find(values, seen[i].first, &steps::ComparedValue::name)
                               : values.end();
        if (value != values.end()) {
            const std::int64_t count = unwritten.sum().item().toLong();
            value->notComparable += (value->notComparable.empty() ? "" : "; ") + std::to_string(count) +
                                    " of " + std::to_string(unwritten.numel()) +
                                    " elements depend on memory that nothing has written";
        }
    }
}

} // namespace aotscope::torch
