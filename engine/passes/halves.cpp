#include "passes/halves.h"

#include "ir/operator_name.h"
#include "ir/used_symbols.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>

namespace aotscope::passes {

namespace {

/// The printed size of a symbolic integer; empty for other values.
std::string sizeText(const ir::ValueMeta& value) {
    const auto* symbolic = std::get_if<ir::SymbolicMeta>(&value);
    return symbolic != nullptr && symbolic->kind == ir::SymbolicMeta::Kind::Int
               ? std::string(symbolic->expression.text())
               : std::string();
}

/// Symbols as inputs bring them. Where two sizes were found to be equal, the graph's text has one symbol for
/// both, but each value keeps the symbol of the input that its size comes from:
///
///     primals_1: "Sym(s68)"        was created as s88
///     primals_2: "f32[s68, 5]"     its size is s88
///     primals_3: "Sym(s68)"        was created as s68
///     primals_4: "f32[s68]"        its size is s68
///
/// Follows torch 2.15, torch/_functorch/partitioners.py: _free_symbols_without_replacements, and
/// torch/fx/experimental/symbolic_shapes.py: _get_placeholder_expr. Which symbol a size has is not in the
/// text; it is followed from the inputs through the calls.
class InputSymbols {
public:
    InputSymbols(const JointProgram& program, const PartitionOptions& options)
        : m_program(program), m_created(program.size()) {
        nameInputs(options);
        if (m_several.empty()) {
            return;
        }
        m_kept.resize(program.size());
        keepOfInputs();
        followCalls();
        if (keepOfTangents()) {
            followCalls();
        }
    }

    /// The symbol that an input was created as; empty for other nodes.
    [[nodiscard]] const std::string& createdAs(Index input) const { return m_created[input]; }
    /// Adds the symbols that the sizes of a node keep although others are equal to them.
    void addKept(Index i, std::set<std::string>& symbols) const {
        if (!m_kept.empty()) {
            for (const auto& [text, created] : m_kept[i]) {
                symbols.insert(created);
            }
        }
    }

private:
    /// By the printed text of a size: the symbol it was created as.
    using Kept = std::map<std::string, std::string, std::less<>>;

    void nameInputs(const PartitionOptions& options) {
        const auto nameOf = [&options](std::size_t position) {
            return position < options.inputSymbols.size() ? options.inputSymbols[position] : std::string();
        };
        // Where an input's symbol is unknown, the first input with a printed symbol keeps it, which is right
        // in most graphs; further ones with the same text get distinct names.
        std::set<std::string, std::less<>> taken(options.inputSymbols.begin(), options.inputSymbols.end());
        std::size_t position = 0;
        for (Index i = 0; i < m_program.size(); ++i) {
            if (m_program[i].opcode != ir::Opcode::Placeholder) {
                continue;
            }
            m_created[i] = nameOf(position++);
            const std::string text = sizeText(m_program.node(i).value);
            if (text.empty()) {
                m_created[i].clear();
                continue;
            }
            if (m_created[i].empty()) {
                m_created[i] = taken.insert(text).second ? text : text + " of " + m_program.name(i);
            }
            if (m_created[i] != text) {
                m_several.insert(text);
            }
        }
    }

    void keepOfInputs() {
        Kept latest;
        for (Index i = 0; i < m_program.size(); ++i) {
            if (m_program[i].opcode == ir::Opcode::CallFunction) {
                continue;
            }
            // Dynamo puts the sizes of an input before it.
            const std::string text = sizeText(m_program.node(i).value);
            if (m_several.contains(text)) {
                latest[text] = m_created[i];
                m_kept[i][text] = m_created[i];
            }
            if (const ir::TensorMeta* tensor = ir::asTensor(m_program.node(i).value)) {
                for (const ir::SymInt& size : tensor->shape) {
                    if (const auto known = latest.find(size.text()); known != latest.end()) {
                        m_kept[i].insert(*known);
                    }
                }
            }
        }
    }

    void followCalls() {
        for (Index i = 0; i < m_program.size(); ++i) {
            if (m_program[i].opcode == ir::Opcode::CallFunction) {
                m_kept[i].clear();
                follow(i);
            }
        }
    }

    /// The sizes of a tangent are those of the output that it belongs to. Whether that changed any.
    bool keepOfTangents() {
        bool changed = false;
        for (const Index tangent : m_program.tangents) {
            const std::vector<ir::Descriptor>& descriptors = m_program.node(tangent).descriptors;
            const ir::AOTInput* input = descriptors.empty() ? nullptr : descriptors.front().input();
            const auto* of = input == nullptr ? nullptr : std::get_if<ir::TangentAOTInput>(&input->value);
            if (of == nullptr) {
                continue;
            }
            const auto output = std::ranges::find_if(m_program.returned, [of](const ReturnedValue& returned) {
                return returned.descriptor.output() != nullptr &&
                       *returned.descriptor.output() == *of->output;
            });
            if (output != m_program.returned.end() && output->node != noIndex &&
                m_kept[tangent] != m_kept[output->node]) {
                m_kept[tangent] = m_kept[output->node];
                changed = true;
            }
        }
        return changed;
    }

    /// A size of the result is that of an operand: the one in a list of sizes, or else the first tensor's.
    void follow(Index i) {
        std::set<std::string> texts{sizeText(m_program.node(i).value)};
        if (const ir::TensorMeta* tensor = ir::asTensor(m_program.node(i).value)) {
            for (const ir::SymInt& size : tensor->shape) {
                texts.insert(size.text());
            }
        }
        for (const std::string& text : texts) {
            if (!m_several.contains(text)) {
                continue;
            }
            const std::string* kept = nullptr;
            for (const ir::Argument& argument : m_program.node(i).args) {
                if (argument.as<ir::ListArgument>() == nullptr) {
                    continue;
                }
                forEachLeaf(argument, [&](const ir::Argument& leaf) {
                    const ir::NodeId* id = leaf.as<ir::NodeId>();
                    const Index operand = id == nullptr ? noIndex : m_program.indexOf(*id);
                    if (kept == nullptr && operand != noIndex && m_program[operand].isSymbolic()) {
                        kept = tryKept(operand, text);
                    }
                });
            }
            for (const Index operand : m_program.inputs(i)) {
                kept = kept != nullptr ? kept : tryKept(operand, text);
            }
            if (kept != nullptr) {
                m_kept[i].emplace(text, *kept);
            }
        }
    }

    [[nodiscard]] const std::string* tryKept(Index i, const std::string& text) const {
        const auto found = m_kept[i].find(text);
        return found == m_kept[i].end() ? nullptr : &found->second;
    }

    const JointProgram& m_program;
    std::vector<std::string> m_created;
    /// The texts of sizes that have several symbols.
    std::set<std::string, std::less<>> m_several;
    std::vector<Kept> m_kept;
};

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
