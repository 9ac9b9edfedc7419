#include "support/corpus_case.h"
#include "support/log_payloads.h"
#include "support/statements.h"

#include "aot/versions/versions.h"
#include "evidence/read_request.h"
#include "files/graph_snapshot.h"
#include "files/logged_partitions.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/text/sections.h"
#include "judge/partition_metadata.h"
#include "load/record_kind.h"
#include "passes/inline_hooks.h"
#include "passes/static_inputs.h"

#include <doctest/doctest.h>

using namespace aotscope;
using test::statements;

namespace {

/// The graphs of PyTorch's record of inlined hooks, by name.
std::map<std::string, ir::GraphPtr> recordedGraphs(const std::string& text) {
    std::map<std::string, ir::GraphPtr> graphs;
    for (const ir::NamedGraphText& section : ir::splitGraphSections(text)) {
        if (section.text.starts_with("class")) {
            const auto parsed = ir::parseGraphText(section.text);
            REQUIRE_MESSAGE(parsed.ok(), section.name);
            graphs.emplace(section.name, *parsed);
        }
    }
    return graphs;
}

/// The value of a line `mode:donated`.
std::string recordedValue(const std::string& text, const std::string& name) {
    const std::size_t at = text.find("\n" + name + ":");
    REQUIRE(at != std::string::npos);
    const std::size_t begin = at + name.size() + 2;
    return text.substr(begin, text.find('\n', begin) - begin);
}

/// The hooks as PyTorch traced them for each saved tensor.
passes::TraceHook recordedHooks(const std::map<std::string, ir::GraphPtr>& graphs) {
    return [&graphs](const ir::Graph& forward, ir::NodeId saved) -> base::Result<passes::InlinedHook> {
        const std::string& name = forward.node(saved).name;
        const auto pack = graphs.find("aot_saved_tensors_hooks_pack " + name);
        const auto unpack = graphs.find("aot_saved_tensors_hooks_unpack " + name);
        if (pack == graphs.end() || unpack == graphs.end()) {
            return base::Error{.code = "test.no_hook", .message = "PyTorch applied no hook to " + name};
        }
        return passes::InlinedHook{name, pack->second, unpack->second};
    };
}

/// A record's text in a log; the metadata is that logged with the halves.
std::string artifactText(const load::TraceLog& log, load::CompileIndex compile, std::string_view name) {
    const auto artifact = log.tryFindArtifact(compile, std::string(name));
    REQUIRE(artifact);
    return log.payload(artifact->record);
}

} // namespace

TEST_CASE("hooks that PyTorch traced are inlined into the halves as PyTorch does" * test::needsCorpus()) {
    std::size_t count = 0;
    for (const std::filesystem::path& path : test::corpusLogs()) {
        if (path.string().find("/hooks_") == std::string::npos ||
            path.string().find("__inductor") != std::string::npos) {
            continue;
        }
        CAPTURE(path.string());
        const auto read = load::TraceLog::read(path);
        REQUIRE(read.ok());
        const load::CompileIndex compile(0);
        const load::CompileId& id = (*read)->compiles()[0].id;
        session::LogSnapshot log;
        log.content = *read;
        const auto logged = session::loggedPartitions(log, compile, id);
        REQUIRE(logged.size() == 1);
        const auto joint = session::loadArtifactGraph(**read, logged[0].joint, {});
        REQUIRE(joint.ok());
        passes::PartitionOptions options;
        options.rules = aot::torchRules(evidence::madeBy(**read)).partition;
        options.staticInputs = passes::staticInputsOf(*(*joint)->graph, (*joint)->inputSources);
        const auto before = passes::partitionJointGraph((*joint)->graph, options);
        REQUIRE(before.ok());

        const std::string record = artifactText(**read, compile, load::hooksArtifact);
        const auto filter = base::fromWord<passes::HookFilter>(recordedValue(record, "mode"));
        REQUIRE(filter);
        const auto graphs = recordedGraphs(record);
        const auto after = passes::inlineHooks(*before, *filter, options.staticInputs, recordedHooks(graphs));
        REQUIRE_MESSAGE(after.ok(), (after.ok() ? "" : after.error().text()));
        CHECK(statements(ir::printGraph(*after->forward).text) ==
              statements(artifactText(**read, compile, "forward")));
        CHECK(statements(ir::printGraph(*after->backward).text) ==
              statements(artifactText(**read, compile, "backward")));
        const auto metadata =
            judge::partitionMetadataFromRepr(artifactText(**read, compile, "aot_forward_graph_fw_metadata"));
        REQUIRE(metadata);
        CHECK(after->savedSymbols.size() == metadata->savedSymInts);
        CHECK(passes::donatedBuffers(*after) == metadata->donated);
        ++count;
    }
    CHECK(count >= 3);
}
