#include "fake/meta/shape_call.h"

#include "base/mapped.h"
#include "dispatch/map_tensors.h"

#include <string>

namespace aotscope::torch {

namespace {

std::optional<std::size_t> indexOf(const c10::FunctionSchema& schema, std::string_view name) {
    const std::vector<c10::Argument>& arguments = schema.arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].name() == name) {
            return i;
        }
    }
    return std::nullopt;
}

} // namespace

bool ShapeCall::has(std::string_view name) const {
    const auto index = indexOf(m_schema, name);
    return index && !m_arguments[*index].isNone() &&
           !(m_arguments[*index].isTensor() && !m_arguments[*index].toTensor().defined());
}

const c10::IValue& ShapeCall::value(std::string_view name) const {
    const auto index = indexOf(m_schema, name);
    TORCH_CHECK(index, m_schema.name(), " has no argument \"", std::string(name), "\".");
    return m_arguments[*index];
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
    if (given.isNone()) {
        return {};
    }
    return base::mapped(given.toListRef(), [](const c10::IValue& item) { return item.toInt(); });
}

std::optional<c10::ScalarType> ShapeCall::dtype(std::string_view name) const {
    if (!has(name)) {
        return std::nullopt;
    }
    return value(name).toScalarType();
}

std::optional<c10::MemoryFormat> ShapeCall::memoryFormat() const {
    if (!has("memory_format")) {
        return std::nullopt;
    }
    return value("memory_format").toMemoryFormat();
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
