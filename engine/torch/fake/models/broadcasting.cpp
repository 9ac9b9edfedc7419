#include "dispatch/map_tensors.h"
#include "fake/fast_path_layout.h"
#include "fake/models/symbolic_shapes.h"
#include "fake/reference_layout.h"

#include <algorithm>

/// Operators whose operands are broadcast: arithmetic, and what PyTorch's shape functions compute with it.
namespace aotscope::torch {

bool isOne(const c10::SymInt& size) {
    return sampledValue(size, 0) == 1 && reference::orFalse(size.sym_eq(1));
}

/// The tensors agree in all dimensions, aligned at the last, except where a size is 1.
void guardBroadcast(const FakeCall& call) {
    SymbolicSizes known;
    const auto ask = [&](const at::Tensor& tensor) {
        const auto sizes = tensor.sym_sizes();
        for (std::size_t back = 1; back <= sizes.size(); ++back) {
            const c10::SymInt& size = sizes[sizes.size() - back];
            if (known.size() < back) {
                known.push_back(size);
                continue;
            }
            c10::SymInt& other = known[back - 1];
            if (sampledValue(other, 0) == 1) {
                other = size;
            } else if (sampledValue(size, 0) != 1) {
                call.environment.assumeEqual(other, size);
            }
        }
    };
    for (const c10::IValue& argument : call.arguments) {
        forEachTensor(argument, ask);
    }
}

} // namespace aotscope::torch

namespace aotscope::torch::symbolic {

namespace {

/// The sizes that both broadcast to: where a size of the first is 1, that of the second, even if the first is
/// symbolic and the second plain. Follows torch 2.11, torch/_subclasses/fake_impls.py: infer_size.
SymbolicSizes inferSize(const SymbolicSizes& one, const SymbolicSizes& other) {
    SymbolicSizes sizes = one.size() >= other.size() ? one : other;
    for (std::size_t back = 1; back <= std::min(one.size(), other.size()); ++back) {
        const c10::SymInt& size = one[one.size() - back];
        sizes[sizes.size() - back] = isOne(size) ? other[other.size() - back] : size;
    }
    return sizes;
}

/// A number for each channel, which is broadcast to the images.
SymbolicSizes channelsOf(const SymbolicSizes& images) {
    SymbolicSizes channels(images.size(), 1);
    channels[1] = images[1];
    return channels;
}

/// Result sizes of broadcasting `sizes` with operands of size 1 (scalars).
SymbolicSizes withPlainOnes(const SymbolicSizes& sizes) {
    return inferSize(sizes, SymbolicSizes(sizes.size(), 1));
}

} // namespace

SymbolicShape ofBoth(const FakeCall& call, std::size_t /*result*/) {
    return {inferSize(call.sizes(0), call.sizes(1)), {}, {}};
}

SymbolicShape quick(const FakeCall& call, std::size_t result) {
    SymbolicShape shape = ofBoth(call, result);
    shape.strides = fastPathStrides(call.op, call.arguments);
    return shape;
}

void askQuick(const FakeCall& call) {
    guardBroadcast(call);
    guardFastPath(call.op, call.arguments, call.environment);
}

/// The images less the mean of each channel. Follows torch 2.11, torch/_decomp/decompositions.py:
/// native_batch_norm_helper.
SymbolicShape batchNorm(const FakeCall& call, std::size_t result) {
    const SymbolicSizes images = call.sizes();
    if (result > 0 || images.size() < 2) {
        return {};
    }
    return {inferSize(images, channelsOf(images)), {}, {}};
}

/// The rows less their mean, times the weight; the mean of each row; and one over its deviation, to which a
/// number was added. Follows torch 2.11, torch/_refs/__init__.py: native_layer_norm.
SymbolicShape layerNorm(const FakeCall& call, std::size_t result) {
    SymbolicSizes sizes = call.sizes();
    if (result == 1) {
        return {};
    }
    if (result == 2) {
        const std::size_t normalized = std::min(call.numbers(1).size(), sizes.size());
        std::fill(sizes.end() - static_cast<std::ptrdiff_t>(normalized), sizes.end(), 1);
    }
    return {withPlainOnes(sizes), {}, {}};
}

/// One over the deviation of each row, times rows that come from the gradient. Follows torch 2.11,
/// torch/_decomp/decompositions.py: native_layer_norm_backward.
SymbolicShape layerNormGradient(const FakeCall& call, std::size_t result) {
    return result > 0 ? SymbolicShape()
                      : SymbolicShape{inferSize(call.sizes(4), withPlainOnes(call.sizes(0))), {}, {}};
}

/// The images in their own sizes, then times the weight of each channel. Follows torch 2.11,
/// torch/_refs/__init__.py: native_group_norm.
SymbolicShape groupNorm(const FakeCall& call, std::size_t result) {
    const auto given = [&](const char* name) {
        return call[name].isTensor() && call[name].toTensor().defined();
    };
    return given("weight") || given("bias") ? batchNorm(call, result) : SymbolicShape();
}

} // namespace aotscope::torch::symbolic
