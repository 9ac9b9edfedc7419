#include "judge/doubted_difference.h"

#include "ir/graph_builder.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

using namespace aotscope;
using base::VerdictWord;

namespace {

constexpr aot::TorchVersion torch211{2, 11};
constexpr aot::TorchVersion torch215{2, 15};

/// What is left of a difference of graph and metadata, traced by the rules of one release and the LibTorch of
/// another, that called these operators.
session::RetraceSnapshot doubted(aot::TorchVersion rules, aot::TorchVersion libTorch,
                                 std::set<std::string> changed, const std::string& called = {}) {
    session::RetraceSnapshot snapshot;
    if (!called.empty()) {
        ir::GraphBuilder graph;
        ir::Node node;
        node.name = "call";
        node.target = called;
        graph.append(std::move(node));
        auto program = std::make_shared<session::GraphSnapshot>();
        program->graph = graph.finish();
        snapshot.program = std::move(program);
    }
    snapshot.verdict = {.word = VerdictWord::Differs, .reason = "node 4"};
    snapshot.loggedMetadata.emplace();
    snapshot.metadataDifferences = {"output_info"};
    snapshot.result.emplace();
    snapshot.result->function.configuration.torch = rules;
    snapshot.result->libTorch = libTorch;
    snapshot.result->changedOperators = std::move(changed);
    judge::doubtLibTorch(snapshot);
    return snapshot;
}

} // namespace

TEST_CASE("a changed gradient takes the graph's difference back, not the metadata's") {
    const auto snapshot = doubted(torch211, torch215, {"aten.log10.default", "aten.maximum.default"});
    CHECK(snapshot.verdict.word == VerdictWord::NotComparable);
    CHECK(snapshot.verdict.reason ==
          "LibTorch 2.15 computes the gradient of aten.log10.default, the gradient of aten.maximum.default "
          "otherwise than torch 2.11; `./dev module 2.11` builds the engine with that release's own");
    CHECK(snapshot.verdict.notCompared.front() == "from the first difference on: node 4");
    CHECK(snapshot.metadataDifferences.size() == 1);
}

TEST_CASE("an operator that calls others takes back both") {
    const auto snapshot = doubted(torch215, torch211, {"aten.quantile.scalar"});
    CHECK(snapshot.verdict.word == VerdictWord::NotComparable);
    CHECK(snapshot.verdict.reason ==
          "LibTorch 2.11 computes aten.quantile.scalar otherwise than torch 2.15; a build for torch 2.15 has "
          "that release's own");
    CHECK(snapshot.metadataDifferences.empty());
    CHECK(snapshot.untracedMetadata.has_value());
}

TEST_CASE("a formula that LibTorch 2.15 follows is doubted with LibTorch 2.11 alone") {
    CHECK(doubted(torch211, torch215, {"aten.topk.default"}).verdict.word == VerdictWord::Differs);
    CHECK(doubted(torch215, torch211, {"aten.topk.default"}).verdict.word == VerdictWord::NotComparable);
}

TEST_CASE("without such an operator, or with the release's own LibTorch, it differs") {
    const auto other = doubted(torch211, torch215, {});
    CHECK(other.verdict.word == VerdictWord::Differs);
    CHECK(other.notes.size() == 1);
    const auto own = doubted(torch211, torch211, {"aten.log10.default"});
    CHECK(own.verdict.word == VerdictWord::Differs);
    CHECK(own.notes.empty());
}

TEST_CASE("derivatives that compiled autograd calls are those of the overloads in derivatives.yaml") {
    const auto reason = [](const std::string& derivative) {
        const auto snapshot =
            doubted(torch215, torch211, {}, "torch__dynamo_compiled_autograd_ops_" + derivative);
        const std::string& text = snapshot.verdict.reason;
        const std::string begin = "LibTorch 2.11 computes the gradient of ";
        return text.starts_with(begin)
                   ? text.substr(begin.size(), text.find(' ', begin.size()) - begin.size())
                   : std::string();
    };
    // The order of the overloads there: clamp.Tensor, clamp; clamp_min, clamp_min.Tensor; max.dim, max; …
    CHECK(reason("ClampBackward0") == "aten.clamp.Tensor");
    CHECK(reason("ClampBackward1").empty());
    CHECK(reason("ClampMinBackward0").empty());
    CHECK(reason("ClampMaxBackward1_2") == "aten.clamp_max.Tensor");
    CHECK(reason("MaxBackward0") == "aten.max.dim");
    CHECK(reason("MaxBackward1").empty());
    CHECK(reason("MedianBackward0").empty());
    CHECK(reason("NanmedianBackward1") == "aten.nanmedian.dim");
    CHECK(reason("SortBackward1") == "aten.sort.default");
    CHECK(reason("LinalgDetBackward0") == "aten._linalg_det.default");
    CHECK(reason("SpecialI1EBackward0") == "aten.special_i1e.default");
    CHECK(reason("MaxUnpool2DBackward0") == "aten.max_unpool2d.default");
    CHECK(reason("AddBackward0").empty());
    CHECK(doubted(torch211, torch215, {}, "torch__dynamo_compiled_autograd_ops_TopkBackward0").verdict.word ==
          VerdictWord::Differs);
    CHECK(doubted(torch215, torch211, {}, "aten.maximum.default").verdict.word == VerdictWord::Differs);
}
