#include "operators/operator_rows.h"

#include "decompositions/before_autograd.h"
#include "decompositions/tables.h"
#include "dispatch/operators.h"
#include "dispatch/release_rules.h"
#include "fake/meta/shape_kernels.h"

#include <torch/library.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

/// The rows by column, as dispatcher, traces and fake tensors look them up.
namespace aotscope::torch {

namespace {

/// By name, then by overload; an empty overload: all others.
using OperatorModels = std::unordered_map<std::string, std::map<std::string, OperatorModel>>;

const OperatorModels& symbolicModels() {
    static const OperatorModels models = [] {
        OperatorModels byName;
        for (const auto& [name, row] : operatorRows()) {
            if (row.symbolic != OperatorModel()) {
                const c10::OperatorName parts = operatorName(name);
                byName[parts.name].emplace(parts.overload_name, row.symbolic);
            }
        }
        return byName;
    }();
    return models;
}

DecompositionSet collected(Decomposition OperatorRow::*column, DrawTable draws = DrawTable::Decomposed) {
    const auto isLeftOut = [&](DrawsIn in) {
        return draws != DrawTable::Decomposed &&
               (in == DrawsIn::FastRandom || (in == DrawsIn::FastRandomSince215 && draws == DrawTable::Kept));
    };
    DecompositionSet set;
    for (const auto& [name, row] : operatorRows()) {
        const Decomposition found = row.*column;
        if (found != nullptr && !isLeftOut(row.draws)) {
            set.add(name, found);
        }
    }
    TORCH_CHECK(set.unknown().empty(), "a decomposition is for ", set.unknown().front(),
                ", an operator that this LibTorch lacks");
    return set;
}

} // namespace

void addShapeRules(ShapeKernels& kernels) {
    for (const auto& [name, row] : operatorRows()) {
        if (row.shape != nullptr) {
            kernels.add(name, row.shape);
        }
    }
}

const OperatorModel& operatorModel(const c10::OperatorHandle& op) {
    static const OperatorModel nothing;
    const c10::OperatorName& name = op.operator_name();
    const auto models = symbolicModels().find(name.name);
    if (models == symbolicModels().end()) {
        return nothing;
    }
    auto model = models->second.find(name.overload_name);
    model = model == models->second.end() ? models->second.find("") : model;
    return model == models->second.end() ? nothing : model->second;
}

bool isDataDependent(std::string_view name) {
    // Called for each node of a program, with a name without namespace.
    static const auto names = [] {
        constexpr std::string_view space = "aten::";
        std::set<std::string, std::less<>> found;
        for (const auto& [full, overloads] : symbolicModels()) {
            const bool fromData = std::ranges::any_of(
                overloads, [](const auto& model) { return model.second.fromData != nullptr; });
            if (fromData && full.starts_with(space)) {
                found.insert(full.substr(space.size()));
            }
        }
        return found;
    }();
    return names.contains(name);
}

const DecompositionSet* decompositionTable(aot::DecompositionTable table, DrawTable draws) {
    if (table == aot::DecompositionTable::None || table == aot::DecompositionTable::Chosen) {
        return nullptr;
    }
    static const DecompositionSet core = collected(&OperatorRow::core);
    static const DecompositionSet inductor = collected(&OperatorRow::inductor);
    static const DecompositionSet kept = collected(&OperatorRow::inductor, DrawTable::Kept);
    static const DecompositionSet keptButLikes = collected(&OperatorRow::inductor, DrawTable::KeptButLikes);
    if (table == aot::DecompositionTable::Core) {
        return &core;
    }
    return draws == DrawTable::Decomposed ? &inductor : draws == DrawTable::Kept ? &kept : &keptButLikes;
}

DecompositionSet decompositionsOf(const std::vector<std::string>& operators) {
    DecompositionSet set;
    if (operators.empty()) {
        return set;
    }
    const auto isNamed = [&](const c10::OperatorName& name) {
        std::string packet = name.name;
        packet.replace(packet.find("::"), 2, ".");
        const std::string overload =
            packet + "." + (name.overload_name.empty() ? "default" : name.overload_name);
        return std::ranges::any_of(
            operators, [&](const std::string& each) { return each == packet || each == overload; });
    };
    // Core ATen's are added last, in place of Inductor's.
    for (const auto table : {aot::DecompositionTable::Inductor, aot::DecompositionTable::Core}) {
        const DecompositionSet& all = *decompositionTable(table);
        for (const c10::OperatorHandle& op : all.operators()) {
            if (isNamed(op.operator_name())) {
                set.add(c10::toString(op.operator_name()), all.find(op));
            }
        }
    }
    return set;
}

const DecompositionSet& autogradKernels() {
    static const DecompositionSet kernels = collected(&OperatorRow::autograd);
    return kernels;
}

const DecompositionSet& compositeKernels() {
    static const DecompositionSet kernels = collected(&OperatorRow::composite);
    return kernels;
}

/// The kernel of a batched call that has no batching rule in C++: the decomposition, whose operators have
/// one. Follows torch/_functorch/predispatch.py: lazy_load_decompositions.
void decomposedUnderVmap(const c10::OperatorHandle& op, c10::Stack* stack) {
    const Decomposition decomposition = decompositionTable(aot::DecompositionTable::Core)->find(op);
    TORCH_CHECK(decomposition != nullptr && decompose(decomposition, op, *stack, traceRules()),
                op.operator_name(), " has no decomposition under vmap");
}

} // namespace aotscope::torch

TORCH_LIBRARY_IMPL(aten, FuncTorchBatched, library) {
    for (const auto& [name, row] : aotscope::torch::operatorRows()) {
        if (row.isBatchedByDecomposition) {
            library.impl(name.c_str(),
                         torch::CppFunction::makeFromBoxedFunction<&aotscope::torch::decomposedUnderVmap>());
        }
    }
}
