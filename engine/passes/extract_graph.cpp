#include "passes/extract_graph.h"

#include "ir/keywords.h"

#include <algorithm>

namespace aotscope::passes {
namespace {

enum class State : std::uint8_t { Absent, Valid, Invalid };

class Extraction {
public:
    Extraction(const JointProgram& program, std::span<const Index> inputs, Half half)
        : m_program(program), m_half(half), m_state(program.size(), State::Absent) {
        for (const Index input : inputs) {
            m_state[input] = State::Valid;
            m_extracted.inputs.push_back(input);
        }
    }

    base::Result<ExtractedGraph> extract(std::span<const ReturnedValue> outputs, bool keepUnusedRandom) {
        const std::vector<bool> isInput = marked(m_program.size(), {m_extracted.inputs});
        for (Index i = 0; i < m_program.size(); ++i) {
            if (!isInput[i]) {
                m_state[i] = stateOf(i);
                if (m_state[i] == State::Valid) {
                    m_extracted.nodes.push_back(i);
                }
            }
        }
        for (const ReturnedValue& value : outputs) {
            AOTSCOPE_TRY(found, returnedValue(value));
            m_extracted.returned.push_back(std::move(found));
        }
        m_extracted.copied = m_extracted.nodes;
        removeUnused(m_program, m_extracted, [&](Index i) {
            return m_program[i].is(OpImpure) || (keepUnusedRandom && m_program[i].is(OpSeeded));
        });
        return std::move(m_extracted);
    }

private:
    [[nodiscard]] State stateOf(Index i) const {
        const Item& item = m_program[i];
        if ((item.mustBeInBackward() && m_half != Half::Backward) ||
            (item.mustBeInForward() && m_half != Half::Forward)) {
            return State::Invalid;
        }
        switch (item.opcode) {
        case ir::Opcode::Placeholder:
            return State::Invalid;
        case ir::Opcode::GetAttr:
            return State::Valid;
        case ir::Opcode::Output:
            return State::Absent;
        default:
            break;
        }
        const bool valid = std::ranges::all_of(
            m_program.inputs(i), [this](Index input) { return m_state[input] == State::Valid; });
        return valid ? State::Valid : State::Invalid;
    }

    base::Result<ReturnedValue> returnedValue(const ReturnedValue& value) const {
        if (value.node == noIndex || m_state[value.node] == State::Valid) {
            return value;
        }
        ReturnedValue replaced = value;
        replaced.node = inputInItsPlace(value.node);
        if (replaced.node != noIndex) {
            return replaced;
        }
        const std::string& name = m_program.name(value.node);
        return base::Error{.code = "passes.invalid_output",
                           .message = "The " + std::string(m_half == Half::Forward ? "forward" : "backward") +
                                      " returns \"" + name + "\", which cannot be computed from its inputs.",
                           .place = {.node = name},
                           .hint = "Check the number of forward outputs."};
    }

    /// The input that replaces an output which this half cannot compute, because only the backward writes it:
    /// the target of a copy_, or the operand (or a reshape of it) that a higher-order operator returns by
    /// name. As _find_input_for_invalid_output.
    [[nodiscard]] Index inputInItsPlace(Index i) const {
        const Item& item = m_program[i];
        if (item.is(OpCopyInto) && item.mustBeInBackward()) {
            const Index target = m_program.argument(i, 0);
            if (target != noIndex && m_state[target] == State::Valid) {
                return target;
            }
        }
        const Index viewed = item.is(OpReshape) ? m_program.argument(i, 0) : noIndex;
        for (const Index candidate : {viewed, i}) {
            const Index operand = candidate == noIndex ? noIndex : handedThrough(candidate);
            if (operand != noIndex && m_state[operand] == State::Valid) {
                return operand;
            }
        }
        return noIndex;
    }

    /// For getitem(call, "name"): the entry "name" of the dictionary "kwargs" that a higher-order call takes.
    [[nodiscard]] Index handedThrough(Index i) const {
        const Index call = m_program[i].is(OpGetitem) ? m_program.argument(i, 0) : noIndex;
        if (call == noIndex || m_program[call].opcode != ir::Opcode::CallFunction ||
            m_program.node(i).args.size() < 2) {
            return noIndex;
        }
        const ir::Argument* operand =
            ir::tryEntry(ir::tryKeyword(m_program.node(call).kwargs, "kwargs"), m_program.node(i).args[1]);
        const ir::NodeId* id = operand == nullptr ? nullptr : operand->as<ir::NodeId>();
        return id == nullptr ? noIndex : m_program.indexOf(*id);
    }

    const JointProgram& m_program;
    Half m_half;
    std::vector<State> m_state;
    ExtractedGraph m_extracted;
};

} // namespace

void removeUnused(const JointProgram& program, ExtractedGraph& half,
                  const std::function<bool(Index)>& stays) {
    std::vector<bool> used(program.size(), false);
    for (const ReturnedValue& value : half.returned) {
        if (value.node != noIndex) {
            used[value.node] = true;
        }
    }
    std::vector<Index> kept;
    kept.reserve(half.nodes.size());
    for (auto i = half.nodes.rbegin(); i != half.nodes.rend(); ++i) {
        if (used[*i] || stays(*i)) {
            kept.push_back(*i);
            for (const Index input : program.inputs(*i)) {
                used[input] = true;
            }
        }
    }
    half.nodes.assign(kept.rbegin(), kept.rend());
}

std::vector<std::string> namesGivenIn(const JointProgram& program, const ExtractedGraph& half) {
    std::vector<std::string> names;
    names.reserve(half.inputs.size() + half.copied.size() + 1);
    for (const auto* part : {&half.inputs, &half.copied}) {
        for (const Index i : *part) {
            names.push_back(program.name(i));
        }
    }
    names.emplace_back("output");
    return names;
}

base::Result<ExtractedGraph> extractGraph(const JointProgram& program, std::span<const Index> inputs,
                                          std::span<const ReturnedValue> outputs, Half half,
                                          bool keepUnusedRandom) {
    return Extraction(program, inputs, half).extract(outputs, keepUnusedRandom);
}

} // namespace aotscope::passes
