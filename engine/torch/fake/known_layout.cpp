#include "fake/known_layout.h"

#include "fake/fake_tensor.h"
#include "fake/untold_arithmetic.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace aotscope::torch {

namespace {

using Names = std::array<std::string_view, 4>;

bool isAmong(std::string_view name, const Names& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool allContiguous(c10::ArrayRef<c10::IValue> arguments) {
    return std::all_of(arguments.begin(), arguments.end(), [](const c10::IValue& argument) {
        const FakeTensorImpl* fake = argument.isTensor() ? asFake(argument.toTensor()) : nullptr;
        return fake == nullptr || fake->variants().front().is_contiguous();
    });
}

/// Whether PyTorch's shape function asks for new memory by its sizes alone, as that of sums does where all
/// operands are contiguous.
bool makesContiguous(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
    const c10::OperatorName& name = op.operator_name();
    constexpr Names products = {"aten::mm", "aten::bmm", "aten::index", "aten::gather"};
    constexpr Names reductions = {"aten::sum", "aten::amax", "aten::amin", "aten::mean"};
    constexpr Names quick = {"aten::add", "aten::sub", "aten::mul", "aten::div"};
    return isAmong(name.name, products) || isAmong(name.name, reductions) ||
           (name.overload_name == "Tensor" && isAmong(name.name, quick) && allContiguous(arguments));
}

} // namespace

void noteKnownLayout(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                     c10::ArrayRef<c10::IValue> results) {
    if (results.size() != 1 || !results.front().isTensor()) {
        return;
    }
    FakeTensorImpl* result = asFake(results.front().toTensor());
    if (result == nullptr) {
        return;
    }
    const std::string_view name = op.operator_name().name;
    if (name == "aten::alias" || name == "aten::detach") {
        const FakeTensorImpl* source = asFake(arguments[0].toTensor());
        result->setLayoutKnown(source != nullptr && source->isLayoutKnown());
    } else if (makesContiguous(op, arguments)) {
        result->setLayoutKnown(result->variants().front().is_contiguous());
    }
}

at::Tensor contiguousMemory(const at::Tensor& tensor, at::MemoryFormat format) {
    FakeTensorImpl* fake = asFake(tensor);
    const auto sizes = tensor.sym_sizes();
    const auto symbol = std::find_if(sizes.begin(), sizes.end(),
                                     [](const c10::SymInt& size) { return asSymbolic(size) != nullptr; });
    if (fake == nullptr || symbol == sizes.end() || format != at::MemoryFormat::Contiguous) {
        return tensor.contiguous(format);
    }
    if (fake->isLayoutKnown()) {
        const UntoldArithmetic untold(asSymbolic(*symbol)->environment());
        static_cast<void>(fake->sym_is_contiguous(format));
    }
    fake->setLayoutKnown(true);
    return tensor.contiguous();
}

} // namespace aotscope::torch
