#include "memory/memory_profile.h"

#include "memory/profile_parts.h"

#include "ir/phase.h"

#include <algorithm>
#include <string>

namespace aotscope::memory {
namespace {

bool returnsMutatedInput(const ir::Graph& graph) {
    const auto output = graph.output();
    return output &&
           std::ranges::any_of(graph.node(*output).descriptors, [](const ir::Descriptor& descriptor) {
               const ir::AOTOutput* returned = descriptor.output();
               return returned != nullptr && returned->as<ir::InputMutationAOTOutput>() != nullptr;
           });
}

/// Puts a joint graph's nodes on the time line as eager mode runs them.
class EagerStep {
public:
    EagerStep(const ir::Graph& joint, std::size_t forwardOutputs,
              const std::vector<std::size_t>& staticInputs)
        : m_joint(joint),
          m_forwardOutputs(forwardOutputs),
          m_staticInputs(staticInputs),
          m_phases(ir::nodePhases(joint)),
          m_position(joint.idBound(), 0) {
        layOut();
    }

    MemoryProfile profile(const ProfileOptions& options) {
        const std::vector<ir::NodeId> inputs = m_joint.placeholders();
        for (const StorageLife& life : storageLives(m_joint, options)) {
            addRange(life, inputs);
        }
        std::ranges::stable_sort(m_profile.ranges, {}, &LiveRange::from);
        fillCurves(m_profile, m_end + 1, options.rounding);
        noteApproximations();
        return std::move(m_profile);
    }

private:
    [[nodiscard]] bool isBackward(ir::NodeId id) const { return m_phases[id.index()] == ir::Phase::Backward; }

    void layOut() {
        for (const ir::Phase phase : {ir::Phase::Forward, ir::Phase::Backward}) {
            for (const ir::NodeId id : m_joint.order()) {
                if (m_phases[id.index()] == phase) {
                    m_position[id.index()] = static_cast<std::uint32_t>(m_profile.nodes.size());
                    m_profile.nodes.push_back(id);
                }
            }
            // One position for the loss after the forward, one for the optimizer after the backward.
            m_profile.nodes.emplace_back();
            if (phase == ir::Phase::Forward) {
                m_gap = static_cast<std::uint32_t>(m_profile.nodes.size()) - 1;
            }
        }
        m_end = static_cast<std::uint32_t>(m_profile.nodes.size()) - 1;
        m_profile.forwardEnd = m_gap;
        m_profile.backwardBegin = m_gap + 1;
    }

    /// The last position at which a node reads one of the storage's values, not counting the graph's output.
    [[nodiscard]] std::uint32_t lastUse(const StorageLife& life, std::uint32_t from) const {
        std::uint32_t last = from;
        for (const ir::NodeId id : life.nodes) {
            last = std::max(last, m_position[id.index()]);
            for (const ir::NodeId user : m_joint.users(id)) {
                if (m_joint.node(user).op != ir::Opcode::Output) {
                    last = std::max(last, m_position[user.index()]);
                }
            }
        }
        return last;
    }

    void addRange(const StorageLife& life, const std::vector<ir::NodeId>& inputs) {
        const ir::NodeId first = life.nodes.front();
        const ir::Node& node = m_joint.node(first);
        LiveRange range = rangeOf(m_joint, life, m_profile);
        (isBackward(first) ? range.backwardNode : range.forwardNode) = first;
        // An element of a tuple is allocated by the call, before its getitem.
        range.from = m_position[m_joint.order()[life.from].index()];
        range.last = lastUse(life, range.from);
        if (ir::isTangentOrBackwardToken(node)) {
            range.category = Category::Tangent;
            range.from = m_gap;
            range.last = life.returned.empty() ? range.last : m_end;
        } else if (life.isInput) {
            makeInput(range, m_joint, first, inputs, m_staticInputs, m_end);
        } else {
            categorize(range, life);
        }
        m_profile.ranges.push_back(std::move(range));
    }

    void categorize(LiveRange& range, const StorageLife& life) const {
        const auto isUsers = [this](std::size_t position) { return position < m_forwardOutputs; };
        const bool gradient = !std::ranges::all_of(life.returned, isUsers);
        const bool output = std::ranges::any_of(life.returned, isUsers);
        const bool saved = range.from < m_gap && range.last > m_gap;
        if (gradient) {
            range.category = Category::Gradient;
            range.last = m_end;
        } else if (saved) {
            range.category = Category::SavedActivation;
        } else if (output) {
            range.category = Category::Output;
            range.last = std::max(range.last, m_gap);
        }
    }

    void noteApproximations() {
        auto& notes = m_profile.approximations;
        notes.emplace_back("A value is freed after its last use; a Python variable that holds it longer is "
                           "not seen.");
        notes.emplace_back(
            "Autograd is assumed to keep each value that the backward reads until its last use there; an "
            "autograd function may keep more, and frees all of it when it is done.");
        std::size_t parts = 0;
        bool writes = returnsMutatedInput(m_joint);
        for (const ir::NodeId id : m_joint.order()) {
            const ir::Node& node = m_joint.node(id);
            parts += !node.originalAten.empty() && node.originalAten != node.target ? 1 : 0;
            writes = writes || ir::writesInput(m_joint, node);
        }
        if (parts > 0) {
            notes.push_back(std::to_string(parts) +
                            " nodes are parts of decomposed operators; eager runs each operator as one and "
                            "keeps its own choice of values.");
        }
        if (!m_joint.subgraphs().empty()) {
            notes.emplace_back("What autograd keeps inside of called subgraphs is not seen.");
        }
        if (writes) {
            notes.emplace_back("Results that eager computes in place have their own memory here, because "
                               "AOTAutograd made the operations functional.");
        }
    }

    const ir::Graph& m_joint;
    std::size_t m_forwardOutputs;
    const std::vector<std::size_t>& m_staticInputs;
    std::vector<ir::Phase> m_phases;
    /// Position on the time line, by node id index.
    std::vector<std::uint32_t> m_position;
    std::uint32_t m_gap = 0;
    std::uint32_t m_end = 0;
    MemoryProfile m_profile;
};

} // namespace

MemoryProfile profileEager(const ir::Graph& joint, std::size_t forwardOutputs,
                           const std::vector<std::size_t>& staticInputs, const ProfileOptions& options) {
    return EagerStep(joint, forwardOutputs, staticInputs).profile(options);
}

} // namespace aotscope::memory
