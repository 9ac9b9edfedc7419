#include "fake/known_contiguity.h"

#include "fake/fake_tensor.h"
#include "fake/operator_model.h"
#include "fake/unrecorded_arithmetic.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

bool allContiguous(c10::ArrayRef<c10::IValue> arguments) {
    return std::ranges::all_of(arguments, [](const c10::IValue& argument) {
        const FakeTensorImpl* fake = argument.isTensor() ? asFake(argument.toTensor()) : nullptr;
        return fake == nullptr || fake->samples().front().is_contiguous();
    });
}

} // namespace

void noteKnownContiguity(const FakeCall& call, c10::ArrayRef<c10::IValue> results) {
    using Memory = OperatorModel::Memory;
    FakeTensorImpl* result =
        results.size() == 1 && results.front().isTensor() ? asFake(results.front().toTensor()) : nullptr;
    if (result == nullptr) {
        return;
    }
    const Memory memory = operatorModel(call.op).memory;
    if (memory == Memory::OfFirst) {
        const FakeTensorImpl* source = asFake(call.tensor());
        result->setLayoutKnown(source != nullptr && source->isLayoutKnown());
    } else if (memory == Memory::New ||
               (memory == Memory::NewOfContiguous && allContiguous(call.arguments))) {
        result->setLayoutKnown(result->samples().front().is_contiguous());
    }
}

at::Tensor contiguousMemory(const at::Tensor& tensor, at::MemoryFormat format) {
    FakeTensorImpl* fake = asFake(tensor);
    const auto sizes = tensor.sym_sizes();
    const auto symbol =
        std::ranges::find_if(sizes, [](const c10::SymInt& size) { return asSymbolic(size) != nullptr; });
    if (fake == nullptr || symbol == sizes.end() || format != at::MemoryFormat::Contiguous) {
        return tensor.contiguous(format);
    }
    if (fake->isLayoutKnown()) {
        const UnrecordedArithmetic untold(asSymbolic(*symbol)->environment());
        static_cast<void>(fake->sym_is_contiguous(format));
    }
    fake->setLayoutKnown(true);
    return tensor.contiguous();
}

} // namespace aotscope::torch
