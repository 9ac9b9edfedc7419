#pragma once

#include "contract/backend.h"
#include "ir/text/parser.h"
#include "torch_module.h"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::test {

inline session::Backend& backend() {
    static const std::unique_ptr<session::Backend> opened = [] {
        auto made = app::torchBackendFactory()();
        REQUIRE_MESSAGE(made.ok(), made.error().text());
        return std::move(made).value();
    }();
    return *opened;
}

inline ir::GraphPtr parsed(std::string_view text) {
    auto graph = ir::parseGraphText(text);
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return *graph;
}

/// A graph module with that signature and body.
inline ir::GraphPtr graphOf(const std::string& parameters, const std::string& body,
                            const std::string& more = {}) {
    return parsed("class GraphModule(torch.nn.Module):\n    def forward(self, " + parameters + "):\n" + body +
                  more);
}

inline aot::TensorData floats(std::vector<std::int64_t> shape, const std::vector<float>& values) {
    aot::TensorData data{"float32", std::move(shape), std::string(values.size() * sizeof(float), '\0')};
    std::memcpy(data.bytes.data(), values.data(), data.bytes.size());
    return data;
}

inline aot::TensorData integers(std::vector<std::int64_t> shape, const std::vector<std::int64_t>& values) {
    aot::TensorData data{"int64", std::move(shape), std::string(values.size() * sizeof(std::int64_t), '\0')};
    std::memcpy(data.bytes.data(), values.data(), data.bytes.size());
    return data;
}

inline session::RunOptions seeded(std::uint64_t seed) {
    session::RunOptions options;
    options.seed = seed;
    return options;
}

inline session::RunOptions withSymbols(ir::SymbolBindings symbols) {
    session::RunOptions options;
    options.symbols = std::move(symbols);
    return options;
}

inline session::RunOptions withInputs(std::map<std::string, aot::TensorData> inputs) {
    session::RunOptions options;
    options.inputs = std::move(inputs);
    return options;
}

template<typename T>
std::vector<T> numbers(const aot::TensorData& data) {
    std::vector<T> values(data.bytes.size() / sizeof(T));
    std::memcpy(values.data(), data.bytes.data(), values.size() * sizeof(T));
    return values;
}

/// Runs a graph, which must succeed.
inline session::RunSnapshot ran(const ir::GraphPtr& graph, session::RunOptions options = {}) {
    options.keepOutputs = true;
    auto result = backend().answer(session::RunCall{graph, options});
    REQUIRE_MESSAGE(result.ok(), result.error().text());
    REQUIRE_MESSAGE(!result->error.has_value(), result->error->text());
    return std::move(result).value();
}

/// Runs a graph, which must fail, and returns the error, whether of the run or of a node.
inline base::Error failed(const ir::GraphPtr& graph, const session::RunOptions& options = {}) {
    auto result = backend().answer(session::RunCall{graph, options});
    if (!result.ok()) {
        return result.error();
    }
    REQUIRE(result->error.has_value());
    return *result->error;
}

} // namespace aotscope::test
