#pragma once

#include "aot/compiled_function.h"
#include "passes/op_facts.h"

#include <map>
#include <string>
#include <vector>

namespace aotscope::torch {

/// What lies on the ways through a compiled graph to the values that its caller sees. Values have the names
/// of the comparison with eager: "output 0", "x after the call", "gradient of x".
class ValuePaths {
public:
    /// `names`: of the caller's arguments.
    ValuePaths(const aot::CompiledFunction& function, const std::vector<std::string>& names);

    /// Whether any node draws random numbers.
    [[nodiscard]] bool draws() const { return m_draws; }
    /// The nodes on the way to a value that draw random numbers, by name.
    [[nodiscard]] std::vector<std::string> drawsOn(const std::string& value) const;
    /// What computes on the way to a value in a float dtype coarser than `roundoff`, one line per dtype:
    /// "computed in bf16 by mm_1 and permute, which eager mode does not". Empty: nothing.
    [[nodiscard]] std::vector<std::string> narrower(const std::string& value, double roundoff) const;
    /// Nodes that draw random numbers in the backward although the forward drew them already.
    [[nodiscard]] const std::vector<std::string>& drawnAgain() const { return m_drawnAgain; }

private:
    void nameOutputs(const aot::CompiledFunction& function, const std::vector<std::string>& names);
    void findDrawnAgain(const aot::CompiledFunction& function);
    /// Ancestors of a value, itself included, in order; all nodes where it is not known what makes it.
    [[nodiscard]] std::vector<ir::NodeId> wayTo(const std::string& value) const;

    ir::GraphPtr m_graph;
    passes::NodeFlags m_flags;
    bool m_draws = false;
    std::map<std::string, std::vector<ir::NodeId>> m_makers;
    std::vector<std::string> m_drawnAgain;
};

} // namespace aotscope::torch
