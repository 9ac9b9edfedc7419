#pragma once

#include "run_support.h"

#include "contract/rerun_request.h"
#include "contract/rerun_result.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

/// Reruns of nodes on the tests' backend.
namespace aotscope::test {

inline session::RerunRequest requestOf(const ir::GraphPtr& graph, std::vector<std::string> nodes,
                                       session::RunOptions run = {}) {
    session::RerunRequest request;
    request.graph = graph;
    request.nodes = std::move(nodes);
    request.run = std::move(run);
    request.settings.repetitions = 5;
    request.settings.warmUp = 1;
    request.keepOutputs = true;
    return request;
}

inline session::RerunResult reran(const session::RerunRequest& request) {
    auto result = backend().answer(request);
    REQUIRE_MESSAGE(result.ok(), result.error().text());
    CHECK(result->samples.size() == request.settings.repetitions);
    CHECK(std::ranges::all_of(result->samples, [](std::int64_t sample) { return sample >= 0; }));
    return std::move(result).value();
}

inline base::Error refused(const session::RerunRequest& request) {
    const auto result = backend().answer(request);
    REQUIRE_FALSE(result.ok());
    return result.error();
}

inline const session::RerunValue& outputOf(const session::RerunResult& result, const std::string& node) {
    const auto found = std::ranges::find(result.outputs, node, &session::RerunValue::node);
    REQUIRE(found != result.outputs.end());
    return *found;
}

/// A kernel's text with other words in one place.
inline std::string changedText(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

} // namespace aotscope::test
