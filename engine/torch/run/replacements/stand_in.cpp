#include "run/replacements/stand_in.h"

#include "run/inputs/tensor_maker.h"
#include "run/state/value_access.h"

#include "ir/higher_order.h"
#include "ir/operator_name.h"

#include <algorithm>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;

IValue fromMeta(const ir::ValueMeta& meta, const Frame& frame, const std::string& name) {
    if (const auto* tensor = std::get_if<ir::TensorMeta>(&meta)) {
        return makeTensor(*tensor, {}, tensorSeed(frame.context.seed, name), frame.context);
    }
    if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&meta)) {
        return symbolValue(symbol->expression, frame.context);
    }
    if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&meta)) {
        std::vector<IValue> parts;
        for (std::size_t i = 0; i < (*tuple)->elements.size(); ++i) {
            parts.push_back(fromMeta((*tuple)->elements[i], frame, name + "." + std::to_string(i)));
        }
        return c10::ivalue::Tuple::create(std::move(parts));
    }
    return {};
}

/// The results of a node without logged metadata, from the metadata of its `getitem` users; results may be
/// nested lists.
IValue fromUsers(const Frame& frame, ir::NodeId node, std::size_t firstPart, int depth = 0) {
    constexpr std::int64_t maxParts = 10'000;
    constexpr int deepest = 8;
    std::vector<IValue> parts;
    for (const ir::NodeId user : frame.graph.users(node)) {
        const ir::Node& part = frame.graph.node(user);
        if (part.target != "_operator.getitem" || part.args.size() != 2) {
            continue;
        }
        const auto* index = part.args[1].as<std::int64_t>();
        if (index == nullptr || *index < static_cast<std::int64_t>(firstPart) || *index > maxParts) {
            continue;
        }
        const std::size_t at = static_cast<std::size_t>(*index) - firstPart;
        parts.resize(std::max(parts.size(), at + 1));
        const bool isUnknown = std::holds_alternative<std::monostate>(part.value);
        parts[at] = isUnknown && depth < deepest ? fromUsers(frame, user, 0, depth + 1)
                                                 : fromMeta(part.value, frame, part.name);
    }
    if (parts.empty()) {
        return {};
    }
    return parts.size() == 1 && firstPart != 0 ? parts.front()
                                               : IValue(c10::ivalue::Tuple::create(std::move(parts)));
}

/// "corpus.accum_" and "corpus.accum_.default": a name ending in `_` marks an in-place operator in PyTorch.
bool isNamedInPlace(std::string_view target) {
    return ir::splitTarget(target).name.ends_with('_');
}

} // namespace

IValue standIn(std::string_view target, const Frame& frame, ir::NodeId node, std::size_t firstPart) {
    const std::string name(target);
    frame.context.note(
        "The custom operator " + name +
        " is not registered here: its results are synthetic, from the logged shapes and the seed, and "
        "what it writes to its arguments is left out.");
    auto& standIns = frame.context.nodeStandIns;
    if (std::find(standIns.begin(), standIns.end(), name) == standIns.end()) {
        standIns.push_back(name);
    }
    const ir::Node& wanted = frame.graph.node(node);
    if (firstPart == 0 && !std::holds_alternative<std::monostate>(wanted.value)) {
        return fromMeta(wanted.value, frame, wanted.name);
    }
    return fromUsers(frame, node, firstPart);
}

StandInTracker::StandInTracker(const ir::Graph& graph)
    : m_graph(graph), m_madeUp(graph.idBound()), m_storages(graph.idBound()) {}

session::RunOrigin StandInTracker::finished(ir::NodeId id, const c10::IValue& result, bool stoodIn) {
    auto& storages = m_storages[id.index()];
    forEachTensor(result, [&storages](const at::Tensor& tensor) {
        if (const c10::StorageImpl* storage = storageIn(tensor)) {
            storages.push_back(storage);
        }
    });
    const bool follows = !stoodIn && followsFromStandIn(id);
    if (!stoodIn && !follows) {
        return session::RunOrigin::Computed;
    }
    m_madeUp[id.index()] = true;
    m_madeUpStorages.insert(storages.begin(), storages.end());
    // An operator without a result is assumed to write to its arguments.
    if (result.isNone() || (stoodIn && isNamedInPlace(m_graph.node(id).target))) {
        for (const ir::NodeId input : m_graph.inputs(id)) {
            const auto& written = m_storages[input.index()];
            m_madeUp[input.index()] = true;
            m_madeUpStorages.insert(written.begin(), written.end());
        }
    }
    return stoodIn ? session::RunOrigin::StandIn : session::RunOrigin::FollowsFromStandIn;
}

bool StandInTracker::followsFromStandIn(ir::NodeId id) const {
    if (isEffectToken(id)) {
        return false;
    }
    return std::ranges::any_of(m_graph.inputs(id), [this](ir::NodeId input) {
        return m_madeUp[input.index()] ||
               std::ranges::any_of(m_storages[input.index()], [this](const c10::StorageImpl* storage) {
                   return m_madeUpStorages.contains(storage);
               });
    });
}

/// The first result of with_effects is a token that orders calls and holds no data.
bool StandInTracker::isEffectToken(ir::NodeId id) const {
    const auto picked = ir::pickedResult(m_graph.node(id));
    return picked && picked->index == 0 &&
           ir::isHigherOrder(m_graph.node(picked->call).target, ir::HigherOrder::WithEffects);
}

} // namespace aotscope::torch
