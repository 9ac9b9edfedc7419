#pragma once

#include "layout/layout.h"

#include <doctest/doctest.h>

namespace aotscope::layout::test {

/// Lays out a graph, which must succeed.
inline LayoutPtr laidOut(const ir::Graph& graph, const ir::ModulePaths& modules,
                         const LayoutOptions& options = {}) {
    const auto result = computeLayout(graph, modules, options);
    REQUIRE(result.ok());
    return *result;
}

} // namespace aotscope::layout::test
