#pragma once

#include "cache/function_cache.h"

#include "ir/text/parser.h"
#include "support/small_graphs.h"

#include <doctest/doctest.h>

#include <string>

/// Small programs and their compiles for tests of the cache.
namespace aotscope::test {

inline ir::GraphPtr parsed(const std::string& text) {
    auto graph = ir::parseGraphText(text);
    REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
    return *graph;
}

/// A program whose input has a symbolic size.
inline std::string symbolicText(const std::string& symbol = "s77") {
    return "class GraphModule(torch.nn.Module):\n"
           "    def forward(self, " +
           symbol + ": \"Sym(" + symbol + ")\", L_x_: \"f32[" + symbol + ", 4][4, 1]cpu\"):\n" +
           "        l_x_ = L_x_\n"
           "        relu: \"f32[" +
           symbol +
           ", 4][4, 1]cpu\" = torch.relu(l_x_);  l_x_ = None\n"
           "        return (relu,)\n"
           "        \n";
}

inline aot::RetraceRequest requestOf(const std::string& text, const ir::SymbolBindings& values = {}) {
    aot::RetraceRequest request;
    request.program = parsed(text);
    request.inputs.resize(request.program->placeholders().size());
    request.symbolHints = values;
    return request;
}

inline cache::CompileEnvironment smallEnvironment() {
    return {.libTorch = "LibTorch 2.15.0 (CPU)", .engine = "0123"};
}

/// A compile with the graph y = relu(x + scale) and these guards.
inline aot::RetraceResult resultOf(const std::string& scale = "1",
                                   const std::vector<std::string>& guards = {}) {
    aot::RetraceResult result;
    result.function.reason = "no input requires grad";
    result.function.graph = parsed(smallGraphText(scale));
    result.function.metadata.inputInfo.resize(1);
    result.function.metadata.outputInfo.resize(1);
    result.function.metadata.outputInfo.front().rawType = "FunctionalTensor";
    result.nanoseconds = 1234;
    result.libTorch = aot::TorchVersion{2, 15};
    result.changedOperators = {"aten.log10.default"};
    result.notes = {"a note"};
    for (const std::string& guard : guards) {
        result.function.guards.push_back({.expression = ir::SymExpr(guard), .node = "relu"});
        result.function.guards.back().source = ir::SourceLocation{"model.py", 12, "forward", "x.relu()"};
    }
    return result;
}

/// An entry's text with another format version in its first line.
inline std::string withVersion(std::string entry, int version) {
    const std::string own = " " + std::to_string(cache::formatVersion) + "\n";
    const std::size_t at = entry.find(own);
    REQUIRE(at < entry.find('\n'));
    return entry.replace(at, own.size(), " " + std::to_string(version) + "\n");
}

} // namespace aotscope::test
