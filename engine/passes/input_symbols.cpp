#include "passes/input_symbols.h"

#include <algorithm>
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

} // namespace

InputSymbols::InputSymbols(const JointProgram& program, const PartitionOptions& options)
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

void InputSymbols::keepOfInputs() {
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

void InputSymbols::followCalls() {
    for (Index i = 0; i < m_program.size(); ++i) {
        if (m_program[i].opcode == ir::Opcode::CallFunction) {
            m_kept[i].clear();
            follow(i);
        }
    }
}

bool InputSymbols::keepOfTangents() {
    bool changed = false;
    for (const Index tangent : m_program.tangents) {
        const std::vector<ir::Descriptor>& descriptors = m_program.node(tangent).descriptors;
        const ir::AOTInput* input = descriptors.empty() ? nullptr : descriptors.front().input();
        const auto* of = input == nullptr ? nullptr : std::get_if<ir::TangentAOTInput>(&input->value);
        if (of == nullptr) {
            continue;
        }
        const auto output = std::ranges::find_if(m_program.returned, [of](const ReturnedValue& returned) {
            return returned.descriptor.output() != nullptr && *returned.descriptor.output() == *of->output;
        });
        if (output != m_program.returned.end() && output->node != noIndex &&
            m_kept[tangent] != m_kept[output->node]) {
            m_kept[tangent] = m_kept[output->node];
            changed = true;
        }
    }
    return changed;
}

void InputSymbols::nameInputs(const PartitionOptions& options) {
    const auto nameOf = [&options](std::size_t position) {
        return position < options.inputSymbols.size() ? options.inputSymbols[position] : std::string();
    };
    // Where an input's symbol is unknown, the first input with a printed symbol keeps it, which is right in
    // most graphs; further ones with the same text get distinct names.
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

const std::string* InputSymbols::tryKept(Index i, const std::string& text) const {
    const auto found = m_kept[i].find(text);
    return found == m_kept[i].end() ? nullptr : &found->second;
}

/// A size of the result is that of an operand: the one in a list of sizes, or else the first tensor's.
void InputSymbols::follow(Index i) {
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

void InputSymbols::addKept(Index i, std::set<std::string>& symbols) const {
    if (!m_kept.empty()) {
        for (const auto& [text, created] : m_kept[i]) {
            symbols.insert(created);
        }
    }
}

} // namespace aotscope::passes
