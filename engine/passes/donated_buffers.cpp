#include "passes/joint_program.h"
#include "passes/partition.h"

#include "ir/storages.h"
#include "ir/value.h"

#include <algorithm>
#include <set>
#include <span>

namespace aotscope::passes {
namespace {

/// Storages of the joint graph. Nodes of the halves are looked up by name: they keep their joint graph names.
/// A generator's state that the partition added may have the name of another node; its value tells it apart.
class HeldStorages {
public:
    explicit HeldStorages(const ir::Graph& joint)
        : m_joint(joint), m_storages(ir::deriveStorages(joint)), m_held(m_storages.count, false) {}

    void hold(const ir::Graph& half, ir::NodeId id) {
        if (const std::uint32_t storage = storageOf(half, id); storage != ir::noStorage) {
            m_held[storage] = true;
        }
    }
    /// Whether the node is a tensor whose storage is not held.
    [[nodiscard]] bool isFree(const ir::Graph& half, ir::NodeId id) const {
        if (!id.valid() || ir::asTensor(half.node(id).value) == nullptr) {
            return false;
        }
        // A tensor that is not in the joint graph (a generator's state) shares its storage with nothing.
        const std::uint32_t storage = storageOf(half, id);
        return storage == ir::noStorage || !m_held[storage];
    }

private:
    [[nodiscard]] std::uint32_t storageOf(const ir::Graph& half, ir::NodeId id) const {
        if (!id.valid() || ir::asTensor(half.node(id).value) == nullptr) {
            return ir::noStorage;
        }
        const auto original = m_joint.tryFind(half.node(id).name);
        const bool isOriginal =
            original && ir::equalValues(m_joint.node(*original).value, half.node(id).value);
        return isOriginal ? m_storages.ofNode[original->index()] : ir::noStorage;
    }

    const ir::Graph& m_joint;
    ir::Storages m_storages;
    std::vector<bool> m_held;
};

bool isForwardToken(const ir::Node& node) {
    const ir::AOTInput* input = ir::inputDescriptor(node);
    return input != nullptr && input->as<ir::ForwardTokenAOTInput>() != nullptr;
}

/// The storage that a node of a half had in the joint graph; `noStorage` for a node that a hook brought.
std::uint32_t jointStorage(const Partition& partition, const ir::Storages& storages, const ir::Graph& before,
                           const std::string& name) {
    const auto original = before.tryFind(name) ? partition.joint->tryFind(name) : std::nullopt;
    return original ? storages.ofNode[original->index()] : ir::noStorage;
}

/// Where hooks were inlined, the saved values are not in the joint graph: whether one is a view is seen in
/// the forward.
std::vector<bool> heldAfterHooks(const Partition& partition, const ir::Storages& inForward,
                                 const std::vector<ir::NodeId>& returned, std::size_t outputs) {
    std::vector<bool> held(inForward.count, false);
    const auto hold = [&](ir::NodeId id) {
        if (const std::uint32_t storage = id.valid() ? inForward.ofNode[id.index()] : ir::noStorage;
            storage != ir::noStorage) {
            held[storage] = true;
        }
    };
    std::ranges::for_each(partition.forward->placeholders(), hold);
    std::ranges::for_each(std::span(returned).first(std::min(outputs, returned.size())), hold);
    const ir::Storages inJoint = ir::deriveStorages(*partition.joint);
    std::set<std::uint32_t> ofBackward;
    for (const ir::NodeId value : ir::returnedNodes(*partition.backward)) {
        if (!value.valid()) {
            continue;
        }
        const std::string& name = partition.backward->node(value).name;
        ofBackward.insert(jointStorage(partition, inJoint, *partition.backwardBeforeHooks, name));
        if (const auto saved = partition.forward->tryFind(name);
            saved && partition.backward->node(value).op == ir::Opcode::Placeholder) {
            hold(*saved);
        }
    }
    ofBackward.erase(ir::noStorage);
    for (const ir::NodeId id : partition.forward->order()) {
        if (ofBackward.contains(jointStorage(partition, inJoint, *partition.forwardBeforeHooks,
                                             partition.forward->node(id).name))) {
            hold(id);
        }
    }
    return held;
}

/// Places, among the backward's inputs, of the saved tensors that `isFree`. The forward returns what it saves
/// after `outputs` values.
template<typename IsFree>
std::vector<std::size_t> freePlaces(const Partition& partition, const std::vector<ir::NodeId>& returned,
                                    std::size_t outputs, const IsFree& isFree) {
    const std::size_t symbols = partition.savedSymbols.size();
    std::vector<std::size_t> places;
    for (std::size_t i = outputs; i + symbols < returned.size(); ++i) {
        if (isFree(returned[i])) {
            places.push_back(symbols + i - outputs);
        }
    }
    return places;
}

std::vector<std::size_t> donatedAfterHooks(const Partition& partition) {
    const ir::Storages storages = ir::deriveStorages(*partition.forward);
    const std::vector<ir::NodeId> returned = ir::returnedNodes(*partition.forward);
    const std::size_t outputs = partition.forwardOutputs;
    const std::vector<bool> held = heldAfterHooks(partition, storages, returned, outputs);
    return freePlaces(partition, returned, outputs, [&](ir::NodeId id) {
        const std::uint32_t storage = id.valid() ? storages.ofNode[id.index()] : ir::noStorage;
        return storage != ir::noStorage && !held[storage];
    });
}

} // namespace

std::vector<std::size_t> donatedBuffers(const Partition& partition) {
    return partition.donatesBuffers ? donatableBuffers(partition) : std::vector<std::size_t>();
}

std::vector<std::size_t> donatableBuffers(const Partition& partition) {
    if (partition.forwardBeforeHooks) {
        return donatedAfterHooks(partition);
    }
    HeldStorages held(*partition.joint);
    std::size_t tokens = 0;
    for (const ir::NodeId input : partition.forward->placeholders()) {
        held.hold(*partition.forward, input);
        tokens += isForwardToken(partition.forward->node(input)) ? 1 : 0;
    }
    // PyTorch does not count tokens among the forward's outputs here, although the graph returns them first.
    // With tokens its list of saved values therefore starts that many places too early; this does the same.
    const std::vector<ir::NodeId> returned = ir::returnedNodes(*partition.forward);
    const std::size_t outputs = partition.forwardOutputs - std::min(tokens, partition.forwardOutputs);
    for (std::size_t i = 0; i < std::min(outputs, returned.size()); ++i) {
        held.hold(*partition.forward, returned[i]);
    }
    for (const ir::NodeId value : ir::returnedNodes(*partition.backward)) {
        held.hold(*partition.backward, value);
    }
    return freePlaces(partition, returned, outputs,
                      [&](ir::NodeId id) { return held.isFree(*partition.forward, id); });
}

} // namespace aotscope::passes
