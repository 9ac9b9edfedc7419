#pragma once

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <string>

namespace aotscope::test {

/// The graph of a function with these parameters and that body.
inline ir::GraphPtr parsedGraph(const std::string& inputs, const std::string& body) {
    auto graph = ir::parseGraphText("class GraphModule(torch.nn.Module):\n    def forward(self, " + inputs +
                                    "):" + body + "        \n");
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return *graph;
}

} // namespace aotscope::test
