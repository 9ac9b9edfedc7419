#include "fake/fast_path_layout.h"

#include "fake/fake_tensor.h"
#include "fake/models/symbolic_shapes.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

using Arguments = c10::ArrayRef<c10::IValue>;

/// The operators that have a fast path for symbolic sizes.
bool isQuick(const c10::OperatorHandle& op) {
    return operatorModel(op).memory == OperatorModel::Memory::NewOfContiguous;
}

bool isSymbolic(const c10::IValue& argument) {
    return argument.isSymInt() ||
           (argument.isTensor() && argument.toTensor().unsafeGetTensorImpl()->has_symbolic_sizes_strides()) ||
           (argument.isList() && std::ranges::any_of(argument.toListRef(), isSymbolic));
}

std::int64_t elementsSeen(const at::Tensor& tensor) {
    return asFake(tensor)->samples().front().numel();
}

/// The operands of the fast path; empty if it does not apply.
std::vector<at::Tensor> quickOperands(const c10::OperatorHandle& op, Arguments arguments) {
    std::vector<at::Tensor> operands;
    bool symbolic = false;
    for (const c10::IValue& argument : arguments) {
        symbolic = symbolic || isSymbolic(argument);
        if (!argument.isTensor() || argument.toTensor().unsafeGetTensorImpl()->is_wrapped_number()) {
            continue;
        }
        const at::Tensor& operand = argument.toTensor();
        if (asFake(operand) == nullptr) {
            return {};
        }
        operands.push_back(operand);
    }
    return isQuick(op) && symbolic ? operands : std::vector<at::Tensor>();
}

const at::Tensor& largestOf(const std::vector<at::Tensor>& operands) {
    return *std::ranges::max_element(operands, [](const at::Tensor& left, const at::Tensor& right) {
        return std::pair(elementsSeen(left), left.dim()) < std::pair(elementsSeen(right), right.dim());
    });
}

/// The strides of a channels-last image; unlike in contiguous strides, sizes are not counted as at least one.
SymbolicSizes channelsInsideStrides(const at::Tensor& image) {
    const SymbolicSizes sizes = image.sym_sizes().vec();
    const c10::SymInt row = sizes[1] * sizes[3];
    return {row * sizes[2], 1, row, sizes[1]};
}

} // namespace

/// The format of a padded tensor: that of the input, unless all paddings are negative.
std::optional<at::MemoryFormat> symbolic::paddedFormat(Arguments arguments) {
    const auto pads = arguments[1].toListRef();
    const bool onlyCut =
        std::ranges::all_of(pads, [](const c10::IValue& pad) { return sampledValue(pad.toSymInt(), 0) < 0; });
    const FakeTensorImpl* padded = asFake(arguments[0].toTensor());
    return onlyCut || padded == nullptr ? std::nullopt
                                        : std::optional(padded->samples().front().suggest_memory_format());
}

/// For references that subtract from and multiply a contiguous input.
std::optional<at::MemoryFormat> symbolic::contiguousFormat(Arguments arguments) {
    return std::ranges::any_of(arguments, isSymbolic) ? std::optional(at::MemoryFormat::Contiguous)
                                                      : std::nullopt;
}

std::vector<c10::SymInt> fastPathStrides(const c10::OperatorHandle& op, Arguments arguments) {
    const std::vector<at::Tensor> operands = quickOperands(op, arguments);
    if (operands.empty()) {
        return {};
    }
    const at::Tensor& largest = largestOf(operands);
    const auto format = fastPathFormat(op, arguments, asFake(largest)->samples().front().sizes());
    return format == at::MemoryFormat::ChannelsLast ? channelsInsideStrides(largest) : SymbolicSizes();
}

std::optional<at::MemoryFormat> fastPathFormat(const c10::OperatorHandle& op, Arguments arguments,
                                               at::IntArrayRef result) {
    if (const auto format = operatorModel(op).format) {
        return format(arguments);
    }
    const std::vector<at::Tensor> operands = quickOperands(op, arguments);
    const auto seen = [](const at::Tensor& operand) { return asFake(operand)->samples().front(); };
    const auto all = [&](at::MemoryFormat format) {
        return std::ranges::all_of(operands, [&](const at::Tensor& operand) {
            return seen(operand).is_contiguous(format) &&
                   (format == at::MemoryFormat::Contiguous || operand.dim() == 4);
        });
    };
    if (operands.empty() || seen(largestOf(operands)).sizes() != result) {
        return std::nullopt;
    }
    return all(at::MemoryFormat::Contiguous)     ? std::optional(at::MemoryFormat::Contiguous)
           : all(at::MemoryFormat::ChannelsLast) ? std::optional(at::MemoryFormat::ChannelsLast)
                                                 : std::nullopt;
}

void guardFastPath(const c10::OperatorHandle& op, Arguments arguments, ShapeEnvironment& environment) {
    for (const at::Tensor& operand : quickOperands(op, arguments)) {
        const auto sizes = operand.sym_sizes();
        const auto strides = operand.sym_strides();
        c10::SymInt expected = 1;
        for (std::size_t d = sizes.size(); d-- > 0;) {
            if (sampledValue(sizes[d], 0) == 1) {
                continue;
            }
            if (sampledValue(strides[d], 0) != sampledValue(expected, 0)) {
                return;
            }
            environment.assumeEqual(strides[d], expected);
            expected = expected * sizes[d];
        }
    }
}

} // namespace aotscope::torch
