#include "passes/unlift_tokens.h"

#include "passes/edited_half.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace aotscope::passes {
namespace {

bool hasEffects(const ir::Node& node) {
    return node.op == ir::Opcode::CallFunction && node.target == "higher_order.with_effects";
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

/// One half, while its tokens are taken out of it.
class Unlifting {
public:
    Unlifting(const ir::Graph& half, const std::vector<std::string>& names)
        : m_half(half), m_edited(half, names) {}

    base::Result<ir::GraphPtr> run() {
        std::vector<bool> isReturned(m_half.idBound(), false);
        if (const auto output = m_half.output()) {
            for (const ir::NodeId id : m_half.inputs(*output)) {
                isReturned[id.index()] = true;
            }
        }
        std::set<ir::NodeId> taken;
        for (const ir::NodeId id : m_half.order()) {
            if (!hasEffects(m_half.node(id))) {
                continue;
            }
            if (const auto token = tokenOf(m_half.node(id)); token && taken.insert(*token).second) {
                makeToken(*token);
            }
            for (const ir::NodeId user : m_half.users(id)) {
                if (isReturned[user.index()] && isFirst(m_half.node(user))) {
                    m_dropped.push_back(user);
                }
            }
        }
        for (const ir::NodeId input : m_half.placeholders()) {
            if (isToken(m_half.node(input)) && !taken.contains(input)) {
                base::Error error{.code = "passes.token",
                                  .message = "The effect token " + m_half.node(input).name +
                                             " goes into a subgraph, which cannot make its own here."};
                error.place.node = m_half.node(input).name;
                error.hint =
                    "Choose --config unlift_effect_tokens=False to see the halves with their tokens.";
                return error;
            }
        }
        if (taken.empty() && m_dropped.empty()) {
            return ir::GraphPtr();
        }
        dropTokens();
        return m_edited.finish();
    }

    [[nodiscard]] std::size_t dropped() const { return m_dropped.size(); }

private:
    /// The placeholder that the first of its effects takes as token.
    [[nodiscard]] std::optional<ir::NodeId> tokenOf(const ir::Node& effect) const {
        const auto* token = effect.args.empty() ? nullptr : effect.args.front().as<ir::NodeId>();
        if (token == nullptr || m_half.node(*token).op != ir::Opcode::Placeholder) {
            return std::nullopt;
        }
        return *token;
    }

    static bool isFirst(const ir::Node& node) {
        return (node.target == "_operator.getitem" || node.target == "operator.getitem") &&
               node.args.size() > 1 && node.args[1] == ir::Argument(std::int64_t{0});
    }

    void makeToken(ir::NodeId token) {
        ir::Node made = stateCall("_make_token_default", "prims._make_token.default");
        made.value = m_half.node(token).value;
        // In PyTorch it takes the token's place; as text, inputs come first all the same.
        const auto after = std::next(m_edited.find(m_half.placeholders().back()));
        const ir::NodeId id = m_edited.insert(after, std::move(made), false);
        m_edited.replaceUses(token, ir::Argument(id));
        m_edited.erase(token);
    }

    void dropTokens() {
        const ir::NodeId output = *m_half.output();
        ir::Node sink = stateCall("_sink_tokens_default", "prims._sink_tokens.default");
        ir::ListArgument tokens;
        for (const ir::NodeId id : m_dropped) {
            tokens.items.emplace_back(id);
        }
        sink.args = {std::move(tokens)};
        m_edited.insert(m_edited.find(output), std::move(sink), false);
        std::size_t kept = 0;
        for (ir::Argument& argument : m_edited.node(output).args) {
            if (auto* tuple = std::get_if<ir::TupleArgument>(&argument.value)) {
                kept += withoutTokens(tuple->items);
            } else if (auto* list = std::get_if<ir::ListArgument>(&argument.value)) {
                kept += withoutTokens(list->items);
            }
        }
        // PyTorch removes the tokens from what is returned, not their descriptors, so that the others move.
        std::vector<ir::Descriptor>& descriptors = m_edited.node(output).descriptors;
        if (descriptors.size() > kept) {
            descriptors.resize(kept);
        }
    }

    std::size_t withoutTokens(ir::Arguments& returned) const {
        std::erase_if(returned, [this](const ir::Argument& argument) {
            const auto* node = argument.as<ir::NodeId>();
            return node != nullptr && std::ranges::find(m_dropped, *node) != m_dropped.end();
        });
        return returned.size();
    }

    const ir::Graph& m_half;
    EditedHalf m_edited;
    /// The last tokens of the half's effects, which it returns.
    std::vector<ir::NodeId> m_dropped;
};

} // namespace

base::Result<Partition> unliftTokens(Partition partition) {
    Unlifting forward(*partition.forward, partition.forwardNames);
    auto changed = forward.run();
    if (!changed) {
        return std::move(changed).error();
    }
    auto backward = Unlifting(*partition.backward, partition.backwardNames).run();
    if (!backward) {
        return std::move(backward).error();
    }
    if (*changed) {
        partition.forwardOutputs -= std::min(forward.dropped(), partition.forwardOutputs);
        partition.forward = *std::move(changed);
    }
    if (*backward) {
        partition.backward = *std::move(backward);
    }
    return partition;
}

} // namespace aotscope::passes
