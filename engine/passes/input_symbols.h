#pragma once

#include "passes/joint_program.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace aotscope::passes {

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
    InputSymbols(const JointProgram& program, const PartitionOptions& options);

    /// The symbol that an input was created as; empty for other nodes.
    [[nodiscard]] const std::string& createdAs(Index input) const { return m_created[input]; }
    /// Adds the symbols that the sizes of a node keep although others are equal to them.
    void addKept(Index i, std::set<std::string>& symbols) const;

private:
    /// By the printed text of a size: the symbol it was created as.
    using Kept = std::map<std::string, std::string, std::less<>>;

    void nameInputs(const PartitionOptions& options);
    void keepOfInputs();
    void followCalls();
    /// The sizes of a tangent are those of the output that it belongs to. Whether that changed any.
    bool keepOfTangents();
    void follow(Index i);
    [[nodiscard]] const std::string* tryKept(Index i, const std::string& text) const;

    const JointProgram& m_program;
    std::vector<std::string> m_created;
    /// The texts of sizes that have several symbols.
    std::set<std::string, std::less<>> m_several;
    std::vector<Kept> m_kept;
};

} // namespace aotscope::passes
