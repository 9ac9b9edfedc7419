#include "fake/operator_model.h"

#include <ATen/WrapDimUtils.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

const OperatorModels& allModels() {
    static const OperatorModels models = [] {
        OperatorModels rows;
        addMatrixModels(rows);
        addImageModels(rows);
        addReductionModels(rows);
        addPieceModels(rows);
        addDataDependentModels(rows);
        return rows;
    }();
    return models;
}

} // namespace

const c10::IValue& FakeCall::operator[](std::string_view name) const {
    const auto index = op.schema().argumentIndexWithName(name);
    TORCH_CHECK(index.has_value(), op.schema().name(), " has no argument ", name);
    return arguments[static_cast<std::size_t>(*index)];
}

SymbolicSizes FakeCall::numbers(std::size_t argument) const {
    SymbolicSizes list;
    if (arguments[argument].isList()) {
        for (const c10::IValue& item : arguments[argument].toListRef()) {
            list.push_back(item.toSymInt());
        }
    }
    return list;
}

std::size_t FakeCall::dimension(std::size_t argument, std::size_t dims) const {
    return static_cast<std::size_t>(c10::maybe_wrap_dim(
        arguments[argument].toInt(), static_cast<std::int64_t>(std::max<std::size_t>(dims, 1))));
}

void OperatorModels::add(std::initializer_list<const char*> operators, const OperatorModel& model) {
    for (const char* name : operators) {
        const bool isNew = m_rows.emplace(name, model).second;
        TORCH_INTERNAL_ASSERT(isNew, name, " has two rows");
    }
}

const OperatorModel* OperatorModels::find(std::string_view name) const {
    const auto row = m_rows.find(name);
    return row == m_rows.end() ? nullptr : &row->second;
}

bool OperatorModels::isDataDependent(std::string_view name) const {
    return std::any_of(m_rows.lower_bound(name), m_rows.end(), [&](const auto& row) {
        const std::string_view full = row.first;
        return full.substr(0, full.find('.')) == name && row.second.fromData != nullptr;
    });
}

const OperatorModel& operatorModel(const c10::OperatorHandle& op) {
    static const OperatorModel nothing;
    const c10::OperatorName& name = op.operator_name();
    const OperatorModel* found =
        name.overload_name.empty() ? nullptr : allModels().find(name.name + "." + name.overload_name);
    if (found == nullptr) {
        found = allModels().find(name.name);
    }
    return found == nullptr ? nothing : *found;
}

bool isDataDependent(std::string_view name) {
    return allModels().isDataDependent("aten::" + std::string(name));
}

std::string fullName(const c10::OperatorHandle& op) {
    const c10::OperatorName& name = op.operator_name();
    return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

} // namespace aotscope::torch
