#include "passes/unlift_tokens.h"

#include "passes/edited_half.h"

#include "ir/higher_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace aotscope::passes {
namespace {

bool hasEffects(const ir::Node& node) {
    return node.op == ir::Opcode::CallFunction &&
           ir::isHigherOrder(node.target, ir::HigherOrder::WithEffects);
}

bool isToken(const ir::Node& node) {
    const ir::AOTInput* input = ir::inputDescriptor(node);
    return input != nullptr && (input->as<ir::ForwardTokenAOTInput>() != nullptr ||
                                input->as<ir::BackwardTokenAOTInput>() != nullptr);
}

ir::Node stateCall(std::string name, std::string target) {
    ir::Node node;
    node.name = std::move(name);
    node.target = std::move(target);
    return node;
}

/// A half without its tokens.
struct Unlifted {
    /// Null: the tokens cannot be taken out.
    ir::GraphPtr graph;
    /// How many there were.
    std::size_t tokens = 0;
};

/// One half, while its tokens are taken out of it.
class Unlifting {
public:
    Unlifting(const ir::Graph& half, const std::vector<std::string>& names)
        : m_half(half), m_edited(half, names) {}

    Unlifted run() {
        std::vector<bool> isReturned(m_half.idBound(), false);
        if (const auto output = m_half.output()) {
            for (const ir::NodeId id : m_half.inputs(*output)) {
                isReturned[id.index()] = true;
            }
        }
        for (const ir::NodeId id : m_half.order()) {
            if (!hasEffects(m_half.node(id))) {
                continue;
            }
            if (const auto token = tokenOf(m_half.node(id)); token && !contains(m_taken, *token)) {
                m_taken.push_back(*token);
            }
            for (const ir::NodeId user : m_half.users(id)) {
                if (isReturned[user.index()] && isFirst(m_half.node(user))) {
                    m_dropped.push_back(user);
                }
            }
        }
        const auto given = static_cast<std::size_t>(std::ranges::count_if(
            m_half.placeholders(), [this](ir::NodeId id) { return isToken(m_half.node(id)); }));
        const bool areReturned =
            std::ranges::any_of(m_taken, [&](ir::NodeId id) { return isReturned[id.index()]; });
        if (m_taken.size() != m_dropped.size() || m_taken.size() < given || areReturned) {
            return {};
        }
        makeTokens();
        dropTokens();
        return {m_edited.finish(), m_taken.size()};
    }

    [[nodiscard]] bool names(const std::vector<std::string>& saved) const {
        return std::ranges::any_of(saved, [this](const std::string& name) {
            const auto isNamed = [&](ir::NodeId id) { return m_half.node(id).name == name; };
            return std::ranges::any_of(m_taken, isNamed) || std::ranges::any_of(m_dropped, isNamed);
        });
    }

private:
    static bool contains(const std::vector<ir::NodeId>& ids, ir::NodeId id) {
        return std::ranges::find(ids, id) != ids.end();
    }

    /// The placeholder that the first of its effects takes as token.
    [[nodiscard]] std::optional<ir::NodeId> tokenOf(const ir::Node& effect) const {
        const auto* token = effect.tryArg<ir::NodeId>(0);
        if (token == nullptr || m_half.node(*token).op != ir::Opcode::Placeholder) {
            return std::nullopt;
        }
        return *token;
    }

    static bool isFirst(const ir::Node& node) {
        return (node.target == "_operator.getitem" || node.target == "operator.getitem") &&
               node.args.size() > 1 && node.args[1] == ir::Argument(std::int64_t{0});
    }

    void makeTokens() {
        if (m_taken.empty()) {
            return;
        }
        // In PyTorch they take the tokens' places; as text, inputs come first all the same.
        const auto after = std::next(m_edited.find(m_half.placeholders().back()));
        for (const ir::NodeId token : m_taken) {
            ir::Node made = stateCall("_make_token_default", "prims._make_token.default");
            made.value = m_half.node(token).value;
            const ir::NodeId id = m_edited.insert(after, std::move(made), false);
            m_edited.replaceUses(token, ir::Argument(id));
            m_edited.erase(token);
        }
    }

    void dropTokens() {
        const auto output = m_half.output();
        if (m_dropped.empty() || !output) {
            return;
        }
        ir::Node sink = stateCall("_sink_tokens_default", "prims._sink_tokens.default");
        ir::ListArgument tokens;
        for (const ir::NodeId id : m_dropped) {
            tokens.items.emplace_back(id);
        }
        sink.args = {std::move(tokens)};
        m_edited.insert(m_edited.find(*output), std::move(sink), false);
        ir::Node& edited = m_edited.node(*output);
        for (ir::Argument& argument : edited.args) {
            if (auto* tuple = std::get_if<ir::TupleArgument>(&argument.value)) {
                withoutTokens(tuple->items, edited.descriptors);
            } else if (auto* list = std::get_if<ir::ListArgument>(&argument.value)) {
                withoutTokens(list->items, edited.descriptors);
            }
        }
    }

    /// PyTorch leaves the descriptors of the tokens, so that those of other values move to the wrong ones.
    void withoutTokens(ir::Arguments& returned, std::vector<ir::Descriptor>& descriptors) const {
        const bool areKnown = descriptors.size() == returned.size();
        for (std::size_t i = returned.size(); i-- > 0;) {
            const auto* node = returned[i].as<ir::NodeId>();
            if (node != nullptr && contains(m_dropped, *node)) {
                returned.erase(returned.begin() + static_cast<std::ptrdiff_t>(i));
                if (areKnown) {
                    descriptors.erase(descriptors.begin() + static_cast<std::ptrdiff_t>(i));
                }
            }
        }
    }

    const ir::Graph& m_half;
    EditedHalf m_edited;
    /// The half's inputs that are tokens.
    std::vector<ir::NodeId> m_taken;
    /// The last tokens of the half's effects, which it returns.
    std::vector<ir::NodeId> m_dropped;
};

} // namespace

Partition unliftTokens(Partition partition) {
    Unlifting forwardHalf(*partition.forward, partition.forwardNames);
    Unlifting backwardHalf(*partition.backward, partition.backwardNames);
    const Unlifted forward = forwardHalf.run();
    const Unlifted backward = backwardHalf.run();
    if (!forward.graph || !backward.graph || forwardHalf.names(partition.savedTensors) ||
        backwardHalf.names(partition.savedTensors)) {
        partition.report.tokensStay = true;
        return partition;
    }
    if (forward.tokens > 0) {
        partition.forwardOutputs -= std::min(forward.tokens, partition.forwardOutputs);
        partition.forward = forward.graph;
    }
    if (backward.tokens > 0) {
        partition.backward = backward.graph;
    }
    return partition;
}

} // namespace aotscope::passes
