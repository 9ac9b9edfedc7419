#include "fake/meta/shape_call.h"

#include "base/mapped.h"
#include "dispatch/map_tensors.h"

#include <string>

namespace aotscope::torch {

bool ShapeCall::has(std::string_view name) const {
    const auto index = m_schema.argumentIndexWithName(name);
    if (!index) {
        return false;
    }
    const c10::IValue& given = m_arguments[static_cast<std::size_t>(*index)];
    return !given.isNone() && !(given.isTensor() && !given.toTensor().defined());
}

const c10::IValue& ShapeCall::value(std::string_view name) const {
    const auto index = m_schema.argumentIndexWithName(name);
    TORCH_CHECK(index, m_schema.name(), " has no argument \"", std::string(name), "\".");
    return m_arguments[static_cast<std::size_t>(*index)];
}

at::Tensor ShapeCall::tensor(std::string_view name) const {
    const c10::IValue& given = value(name);
    return given.isNone() ? at::Tensor() : given.toTensor();
}

std::vector<at::Tensor> ShapeCall::tensors(std::string_view name) const {
    const c10::IValue& given = value(name);
    if (given.isNone()) {
        return {};
    }
    return base::mapped(given.toListRef(), [](const c10::IValue& item) {
        return item.isNone() ? at::Tensor() : item.toTensor();
    });
}

std::vector<std::int64_t> ShapeCall::integers(std::string_view name) const {
    const c10::IValue& given = value(name);
    return given.isNone()
               ? std::vector<std::int64_t>()
               : base::mapped(given.toListRef(), [](const c10::IValue& item) { return item.toInt(); });
}

std::optional<c10::ScalarType> ShapeCall::dtype(std::string_view name) const {
    return has(name) ? std::optional(value(name).toScalarType()) : std::nullopt;
}

std::optional<c10::MemoryFormat> ShapeCall::memoryFormat() const {
    return has("memory_format") ? std::optional(value("memory_format").toMemoryFormat()) : std::nullopt;
}

at::Tensor ShapeCall::firstTensor() const {
    const std::vector<at::Tensor> all = allTensors();
    return all.empty() ? at::Tensor() : all.front();
}

std::vector<at::Tensor> ShapeCall::allTensors() const {
    std::vector<at::Tensor> found;
    for (const c10::IValue& argument : m_arguments) {
        forEachTensor(argument, [&](const at::Tensor& tensor) { found.push_back(tensor); });
    }
    return found;
}

} // namespace aotscope::torch
