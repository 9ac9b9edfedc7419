#include "decompositions/decomposition.h"

namespace aotscope::torch {

std::optional<at::Tensor> DecompositionCall::optionalTensor(std::string_view name) const {
    at::Tensor given = tensor(name);
    return given.defined() ? std::optional<at::Tensor>(std::move(given)) : std::nullopt;
}

c10::List<std::optional<at::Tensor>> DecompositionCall::indices(std::string_view name) const {
    c10::List<std::optional<at::Tensor>> list;
    for (at::Tensor& tensor : tensors(name)) {
        list.push_back(tensor.defined() ? std::optional<at::Tensor>(std::move(tensor)) : std::nullopt);
    }
    return list;
}

bool DecompositionCall::isDefault(std::string_view name) const {
    const auto position = schema().argumentIndexWithName(std::string(name));
    const auto& byItself =
        schema().arguments().at(static_cast<std::size_t>(position.value())).default_value();
    const c10::IValue& given = value(name);
    if (!byItself) {
        return false;
    }
    return (byItself->isInt() && given.isInt() && byItself->toInt() == given.toInt()) ||
           (byItself->isDouble() && given.isDouble() && byItself->toDouble() == given.toDouble());
}

std::vector<c10::SymInt> DecompositionCall::symInts(std::string_view name) const {
    std::vector<c10::SymInt> sizes;
    const c10::IValue& given = value(name);
    if (!given.isNone()) {
        for (const c10::IValue& item : given.toListRef()) {
            sizes.push_back(item.toSymInt());
        }
    }
    return sizes;
}

std::vector<double> DecompositionCall::numbers(std::string_view name) const {
    const c10::IValue& given = value(name);
    return given.isNone() ? std::vector<double>() : given.toDoubleVector();
}

at::TensorOptions DecompositionCall::options() const {
    at::TensorOptions options = at::TensorOptions().dtype(dtype()).device(device());
    if (has("layout")) {
        options = options.layout(value("layout").toLayout());
    }
    return has("pin_memory") ? options.pinned_memory(value("pin_memory").toBool()) : options;
}

} // namespace aotscope::torch
