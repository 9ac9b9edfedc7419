#include "passes/halves.h"

#include "passes/input_symbols.h"

#include "ir/operator_name.h"
#include "ir/used_symbols.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace aotscope::passes {
namespace {

using Symbols = std::set<std::string>;

/// Whether the node itself makes its unbacked symbol: not one that reads the size of a value.
bool isMaker(const JointProgram& program, Index i) {
    return program[i].is(OpOverload) && !ir::isSymbolicOperator(program.node(i).target);
}

/// The symbol that a node binds: an input whose value is a symbol, or a node with a new unbacked symbol
/// (is_symbol_binding_fx_node). Empty: none.
std::string boundSymbol(const JointProgram& program, Index i, const PartitionRules& rules) {
    const auto* symbolic = std::get_if<ir::SymbolicMeta>(&program.node(i).value);
    if (symbolic == nullptr || symbolic->kind != ir::SymbolicMeta::Kind::Int) {
        return {};
    }
    const std::vector<std::string> symbols = symbolic->expression.symbols();
    if (symbols.size() != 1 || symbols[0] != symbolic->expression.text()) {
        return {};
    }
    const bool binds =
        program[i].opcode == ir::Opcode::Placeholder ||
        (ir::isUnbackedSymbol(symbols[0]) && (!rules.onlyMakersBindSymbols || isMaker(program, i)));
    return binds ? symbols[0] : std::string();
}

class HalvesMaker {
public:
    HalvesMaker(const JointProgram& program, std::vector<Index> savedTensors, std::vector<Index> savedSymbols,
                const PartitionOptions& options)
        : m_program(program), m_options(options) {
        if (options.rules.savesSymbolsOfEqualSizes) {
            m_inputSymbols.emplace(program, options);
        }
        m_halves.savedTensors = std::move(savedTensors);
        m_halves.savedSymbols = std::move(savedSymbols);
    }

    base::Result<Halves> make() {
        AOTSCOPE_TRY(first, backward());
        dropUnused(first);
        bindSymbols();
        std::stable_partition(m_halves.savedTensors.begin(), m_halves.savedTensors.end(),
                              [this](Index i) { return !m_program[i].noVersionCheck; });
        AOTSCOPE_TRY(forwardGraph, forward());
        AOTSCOPE_TRY(backwardGraph, backward());
        m_halves.forward = std::move(forwardGraph);
        m_halves.backward = std::move(backwardGraph);
        return std::move(m_halves);
    }

private:
    base::Result<ExtractedGraph> backward() const {
        std::vector<Index> inputs = m_halves.savedSymbols;
        const std::array<const std::vector<Index>*, 3> parts{&m_halves.savedTensors, &m_program.tangents,
                                                             &m_program.backwardSeeds};
        for (const auto* part : parts) {
            inputs.insert(inputs.end(), part->begin(), part->end());
        }
        const std::span<const ReturnedValue> returned(m_program.returned);
        return extractGraph(m_program, inputs, returned.subspan(m_program.forwardOutputs), Half::Backward,
                            m_options.keepUnusedRandom);
    }

    base::Result<ExtractedGraph> forward() const {
        std::vector<Index> inputs = m_program.primals;
        inputs.insert(inputs.end(), m_program.forwardSeeds.begin(), m_program.forwardSeeds.end());
        std::vector<ReturnedValue> outputs(m_program.returned.begin(),
                                           m_program.returned.begin() +
                                               static_cast<std::ptrdiff_t>(m_program.forwardOutputs));
        std::int64_t position = 0;
        for (const auto* part : {&m_halves.savedTensors, &m_halves.savedSymbols}) {
            for (const Index saved : *part) {
                ReturnedValue value;
                value.node = saved;
                const bool unchecked = part == &m_halves.savedTensors && m_program[saved].noVersionCheck;
                const std::int64_t idx = position++;
                const ir::AOTOutput output = unchecked
                                                 ? ir::AOTOutput(ir::SavedForBackwardsNoVcCheckAOTOutput{idx})
                                                 : ir::AOTOutput(ir::SavedForBackwardsAOTOutput{idx});
                value.descriptor = {output};
                outputs.push_back(std::move(value));
            }
        }
        return extractGraph(m_program, inputs, outputs, Half::Forward, m_options.keepUnusedRandom);
    }

    /// Drops saved values that the backward does not use, or only in a wait_tensor without users.
    void dropUnused(const ExtractedGraph& backwardGraph) {
        std::vector<bool> used(m_program.size(), false);
        for (const ReturnedValue& value : backwardGraph.returned) {
            if (value.node != noIndex) {
                used[value.node] = true;
            }
        }
        std::vector<bool> usedByLiveNode = used;
        for (auto i = backwardGraph.nodes.rbegin(); i != backwardGraph.nodes.rend(); ++i) {
            const bool idleWait = m_program[*i].is(OpWaitTensor) && !used[*i];
            for (const Index input : m_program.inputs(*i)) {
                used[input] = true;
                usedByLiveNode[input] = usedByLiveNode[input] || !idleWait;
            }
        }
        for (auto* saved : {&m_halves.savedTensors, &m_halves.savedSymbols}) {
            std::erase_if(*saved, [&](Index i) { return !usedByLiveNode[i]; });
        }
    }

    [[nodiscard]] std::string boundBy(Index i) const {
        return m_inputSymbols && !m_inputSymbols->createdAs(i).empty()
                   ? m_inputSymbols->createdAs(i)
                   : boundSymbol(m_program, i, m_options.rules);
    }

    void bindSymbols() {
        Symbols bound;
        std::vector<Index> binding;
        std::vector<Index> derived;
        for (const Index i : m_halves.savedSymbols) {
            const std::string symbol = boundBy(i);
            if (symbol.empty()) {
                derived.push_back(i);
            } else {
                bound.insert(symbol);
                binding.push_back(i);
            }
        }
        std::map<std::string, Index> binders;
        for (Index i = 0; i < m_program.size(); ++i) {
            if (m_program[i].value == ValueKind::SymInt) {
                std::string symbol = boundBy(i);
                if (!symbol.empty()) {
                    binders.try_emplace(std::move(symbol), i);
                }
            }
        }
        const std::array<const std::vector<Index>*, 3> parts{&derived, &m_halves.savedTensors,
                                                             &m_program.tangents};
        for (const auto* part : parts) {
            for (const Index i : *part) {
                Symbols symbols;
                addSymbols(m_program.node(i).value, symbols);
                if (m_inputSymbols) {
                    m_inputSymbols->addKept(i, symbols);
                }
                for (const std::string& symbol : symbols) {
                    const auto binder = binders.find(symbol);
                    if (bound.insert(symbol).second && binder != binders.end()) {
                        binding.push_back(binder->second);
                    }
                }
            }
        }
        binding.insert(binding.end(), derived.begin(), derived.end());
        m_halves.savedSymbols = std::move(binding);
    }

    const JointProgram& m_program;
    const PartitionOptions& m_options;
    std::optional<InputSymbols> m_inputSymbols;
    Halves m_halves;
};

} // namespace

base::Result<Halves> extractHalves(const JointProgram& program, std::vector<Index> savedTensors,
                                   std::vector<Index> savedSymbols, const PartitionOptions& options) {
    return HalvesMaker(program, std::move(savedTensors), std::move(savedSymbols), options).make();
}

} // namespace aotscope::passes
