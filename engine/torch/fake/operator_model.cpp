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
        addBroadcastingModels(rows);
        addReductionModels(rows);
        addPieceModels(rows);
        addIndexModels(rows);
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
        const std::string full = name;
        const std::size_t dot = full.find('.');
        const bool isNew = m_rows[full.substr(0, dot)]
                               .emplace(dot == std::string::npos ? "" : full.substr(dot + 1), model)
                               .second;
        TORCH_INTERNAL_ASSERT(isNew, name, " has two rows");
    }
}

const OperatorModel* OperatorModels::find(const c10::OperatorName& name) const {
    const auto rows = m_rows.find(name.name);
    if (rows == m_rows.end()) {
        return nullptr;
    }
    auto row = rows->second.find(name.overload_name);
    row = row == rows->second.end() ? rows->second.find("") : row;
    return row == rows->second.end() ? nullptr : &row->second;
}

std::set<std::string, std::less<>> OperatorModels::dataDependent(std::string_view space) const {
    std::set<std::string, std::less<>> names;
    for (const auto& [name, overloads] : m_rows) {
        const bool fromData = std::any_of(overloads.begin(), overloads.end(),
                                          [](const auto& row) { return row.second.fromData != nullptr; });
        if (fromData && name.starts_with(space)) {
            names.insert(name.substr(space.size()));
        }
    }
    return names;
}

const OperatorModel& operatorModel(const c10::OperatorHandle& op) {
    static const OperatorModel nothing;
    const OperatorModel* found = allModels().find(op.operator_name());
    return found == nullptr ? nothing : *found;
}

bool isDataDependent(std::string_view name) {
    // Called for each node of a program, with a name without namespace.
    static const std::set<std::string, std::less<>> names = allModels().dataDependent("aten::");
    return names.contains(name);
}

std::string fullName(const c10::OperatorHandle& op) {
    const c10::OperatorName& name = op.operator_name();
    return name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
}

} // namespace aotscope::torch
