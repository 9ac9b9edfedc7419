#include "support/corpus_case.h"
#include "support/log_payloads.h"

#include "files/graph_snapshot.h"
#include "files/logged_partitions.h"
#include "ir/text/printer.h"
#include "passes/partition.h"
#include "passes/static_inputs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

using namespace aotscope;

namespace {

std::vector<std::string> programLines(const ir::Graph& graph) {
    std::vector<std::string> lines;
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        // A text does not tell what calls with several results return.
        const bool several = std::holds_alternative<std::shared_ptr<const ir::TupleMeta>>(node.value);
        lines.push_back(node.name + ": " + std::string(base::wordOf(node.op)) + ' ' + node.target + ' ' +
                        (several ? "" : ir::valueText(node.value)) + " = " + ir::callText(graph, id));
    }
    return lines;
}

std::string firstDifferentLine(const ir::Graph& made, const ir::Graph& logged) {
    const std::vector<std::string> left = programLines(made);
    const std::vector<std::string> right = programLines(logged);
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
        const std::string a = i < left.size() ? left[i] : "(end)";
        const std::string b = i < right.size() ? right[i] : "(end)";
        if (a != b) {
            return "node " + std::to_string(i) + "\n  made:   " + a + "\n  logged: " + b;
        }
    }
    return {};
}

std::string comparableText(const std::string& text) {
    std::string out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        line.erase(line.find_last_not_of(' ') + 1);
        // The joint graph's text does not tell which saved tensors autograd never checks for changes.
        if (const std::size_t unchecked = line.find("NoVcCheckAOTOutput"); unchecked != std::string::npos) {
            line.erase(unchecked, std::string_view("NoVcCheck").size());
        }
        out += line + '\n';
    }
    out.erase(out.find_last_not_of('\n') + 1);
    return out;
}

/// Inductor's passes change graphs before and after the partition, so its logs cannot be compared.
bool isEagerLog(const std::filesystem::path& log) {
    return log.string().find("__inductor") == std::string::npos &&
           log.string().find("/traces/") != std::string::npos;
}

} // namespace

TEST_CASE("the partition of a logged joint graph equals the logged forward and backward graphs" *
          test::needsCorpus()) {
    std::size_t count = 0;
    for (const std::filesystem::path& path : test::corpusLogs()) {
        if (!isEagerLog(path)) {
            continue;
        }
        const auto read = load::TraceLog::read(path);
        REQUIRE(read.ok());
        session::LogSnapshot log;
        log.content = *read;
        for (std::uint32_t index = 0; index < log.traceLog()->compiles().size(); ++index) {
            const load::CompileId& id = log.traceLog()->compiles()[index].id;
            for (const session::LoggedPartition& logged :
                 session::loggedPartitions(log, load::CompileIndex(index), id)) {
                CAPTURE(path.filename().string());
                CAPTURE(id.text());
                CAPTURE(logged.joint.artifact);
                const auto joint = session::loadArtifactGraph(*log.traceLog(), logged.joint, {});
                REQUIRE(joint.ok());
                REQUIRE((*joint)->graph);
                if (!logged.forward || !logged.backward) {
                    continue;
                }
                const auto forward = session::loadArtifactGraph(*log.traceLog(), *logged.forward, {});
                const auto backward = session::loadArtifactGraph(*log.traceLog(), *logged.backward, {});
                REQUIRE(forward.ok());
                REQUIRE(backward.ok());
                passes::PartitionOptions options;
                options.staticInputs = passes::staticInputsOf(*(*joint)->graph, (*joint)->inputSources);
                // aot_autograd() takes the default partition when a backend names none.
                if (path.filename().string().find("fail_backend_error") != std::string::npos) {
                    options.partitioner = passes::Partitioner::Default;
                }
                const auto made = passes::partitionJointGraph((*joint)->graph, options);
                CHECK_MESSAGE(made.ok(), (made.ok() ? "" : made.error().text()));
                if (made) {
                    CHECK(firstDifferentLine(*made->forward, *(*forward)->graph) == "");
                    CHECK(firstDifferentLine(*made->backward, *(*backward)->graph) == "");
                    CHECK(comparableText(ir::printGraph(*made->forward).text) ==
                          comparableText((*forward)->text));
                    CHECK(comparableText(ir::printGraph(*made->backward).text) ==
                          comparableText((*backward)->text));
                    ++count;
                }
            }
        }
    }
    CHECK(count > 50);
}
