#pragma once

#include "ir/graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace aotscope::passes {

/// Gives new nodes the names that an FX graph would (torch.fx.graph._Namespace): the candidate, or with the
/// next free number.
class FxNames {
public:
    FxNames() = default;
    /// The names of a traced graph, with those that dead getitems had: a call with several results got one
    /// getitem for each, numbered on.
    explicit FxNames(const ir::Graph& traced);

    std::string create(std::string candidate);

private:
    void reserveDeadGetitems(const ir::Graph& traced);

    std::unordered_set<std::string> m_used;
    std::unordered_map<std::string, std::uint64_t> m_lastNumber;
};

} // namespace aotscope::passes
