#include "fake/equal_sizes.h"

#include "fake/computed_sizes.h"
#include "fake/quick_layout.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>

namespace aotscope::torch {

namespace {

using Arguments = c10::ArrayRef<c10::IValue>;
using Question = void (*)(Arguments arguments, ShapeEnvironment& environment);

/// The length over which two matrices are multiplied, and how many there are of them.
template<std::size_t First, std::size_t Second>
void product(Arguments arguments, ShapeEnvironment& environment) {
    const at::Tensor& left = arguments[First].toTensor();
    const at::Tensor& right = arguments[Second].toTensor();
    if (left.dim() >= 2 && right.dim() >= 2) {
        environment.foundEqual(left.sym_size(-1), right.sym_size(-2));
    }
    if (left.dim() == 3 && right.dim() == 3) {
        environment.foundEqual(left.sym_size(0), right.sym_size(0));
    }
}

/// The last dimension of the first, and the only one of the second.
void lastLength(Arguments arguments, ShapeEnvironment& environment) {
    environment.foundEqual(arguments[0].toTensor().sym_size(-1), arguments[1].toTensor().sym_size(-1));
}

void diagonal(Arguments arguments, ShapeEnvironment& environment) {
    environment.foundEqual(diagonalLength(arguments), arguments[0].toTensor().sym_size(-1));
}

/// All dimensions but one, and all where it is none.
void allAlike(const std::vector<at::Tensor>& tensors, std::int64_t except, ShapeEnvironment& environment) {
    for (const at::Tensor& tensor : tensors) {
        for (std::int64_t d = 0; d < tensor.dim() && tensor.dim() == tensors.front().dim(); ++d) {
            if (d != except) {
                environment.foundEqual(tensors.front().sym_size(d), tensor.sym_size(d));
            }
        }
    }
}

void joined(Arguments arguments, ShapeEnvironment& environment) {
    const std::vector<at::Tensor> tensors = arguments[0].toTensorVector();
    const std::int64_t dims = std::max<std::int64_t>(tensors.front().dim(), 1);
    allAlike(tensors, c10::maybe_wrap_dim(arguments[1].toInt(), dims), environment);
}

void stacked(Arguments arguments, ShapeEnvironment& environment) {
    allAlike(arguments[0].toTensorVector(), -1, environment);
}

/// A gradient is chosen by the target for each class.
void lossOfClasses(Arguments arguments, ShapeEnvironment& environment) {
    const at::Tensor& self = arguments[1].toTensor();
    const at::Tensor& target = arguments[2].toTensor();
    for (std::int64_t d = 0; d < target.dim() && self.dim() == target.dim() + 1; ++d) {
        environment.foundEqual(self.sym_size(d == 0 ? 0 : d + 1), target.sym_size(d));
    }
}

/// All tensors, counted from the last dimension, as operands are broadcast.
void broadcast(Arguments arguments, ShapeEnvironment& environment) {
    std::vector<c10::SymInt> known;
    const auto ask = [&](const at::Tensor& tensor) {
        const auto sizes = tensor.sym_sizes();
        for (std::size_t back = 1; back <= sizes.size(); ++back) {
            const c10::SymInt& size = sizes[sizes.size() - back];
            if (known.size() < back) {
                known.push_back(size);
                continue;
            }
            c10::SymInt& other = known[back - 1];
            if (variantValue(other, 0) == 1) {
                other = size;
            } else if (variantValue(size, 0) != 1) {
                environment.foundEqual(other, size);
            }
        }
    };
    for (const c10::IValue& argument : arguments) {
        if (argument.isTensor() && argument.toTensor().defined()) {
            ask(argument.toTensor());
        } else if (argument.isTensorList()) {
            for (const at::Tensor& tensor : argument.toTensorVector()) {
                ask(tensor);
            }
        }
    }
}

const std::unordered_map<std::string_view, Question>& questions() {
    static const std::unordered_map<std::string_view, Question> table = {
        {"aten::mm", product<0, 1>},
        {"aten::bmm", product<0, 1>},
        {"aten::addmm", product<1, 2>},
        {"aten::baddbmm", product<1, 2>},
        {"aten::dot", lastLength},
        {"aten::mv", lastLength},
        {"aten::cat", joined},
        {"aten::stack", stacked},
        {"aten::diagonal_backward", diagonal},
        {"aten::nll_loss_backward", lossOfClasses},
        {"aten::nll_loss2d_backward", lossOfClasses},
        {"aten::copy", broadcast},
        {"aten::copy_", broadcast},
        {"aten::mse_loss", broadcast},
        {"aten::smooth_l1_loss", broadcast},
        {"aten::huber_loss", broadcast},
        {"aten::soft_margin_loss", broadcast},
        {"aten::binary_cross_entropy", broadcast},
    };
    return table;
}

} // namespace

void askForEqualSizes(const c10::OperatorHandle& op, Arguments arguments, ShapeEnvironment& environment) {
    if (const auto question = questions().find(op.operator_name().name); question != questions().end()) {
        question->second(arguments, environment);
    } else if (op.hasTag(at::Tag::pointwise)) {
        broadcast(arguments, environment);
    }
    askForQuickLayout(op, arguments, environment);
}

} // namespace aotscope::torch
