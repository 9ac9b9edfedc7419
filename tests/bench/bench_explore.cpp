// Measures how long a session takes to answer a person's partition choices: bench_explore. Includes the cut,
// both halves, the rows with reasons, memory and the comparison with the logged halves; "marks" is the time
// to mark the Graph panel's picture. Uses a golden graph of the shared corpus, and generated ones to show
// growth.
#include "../support/corpus.h"
#include "../support/temp_folder.h"
#include "made_up_joint.h"

#include "explore/split_fates.h"
#include "files/logged_partitions.h"
#include "ir/json/graph_json.h"
#include "session/session.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace aotscope;

double seconds(session::Session& session, const session::Command& command,
               session::PartitionSnapshotPtr& split) {
    const auto start = std::chrono::steady_clock::now();
    session.execute(command, [&](const session::EventBody& body) {
        if (const auto* made = std::get_if<session::PartitionSnapshotPtr>(&body)) {
            split = *made;
        }
        if (const auto* failed = std::get_if<session::Failed>(&body)) {
            std::fprintf(stderr, "%s\n", failed->error.text().c_str());
            std::exit(1);
        }
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Time to mark the picture of the joint graph; the best of several.
double marksSeconds(session::Session& session, const session::PartitionSnapshot& split) {
    session::LayoutSnapshotPtr laidOut;
    session.execute(session::LayOutGraph{split.joint->reference, {}}, [&](const session::EventBody& body) {
        if (const auto* made = std::get_if<session::LayoutSnapshotPtr>(&body)) {
            laidOut = *made;
        }
    });
    const ir::Graph& graph = *split.joint->graph;
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const auto marks = layout::splitMarks(graph, *laidOut->layout, session::splitFacts(graph, split));
        best =
            std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (marks.edges.size() != laidOut->layout->edges.size()) {
            std::exit(1);
        }
    }
    return best;
}

/// Forces the saved values to be recomputed, one after the other. The first partition includes reading the
/// graph.
void measure(const char* name, const std::filesystem::path& file) {
    session::Session session;
    session::PartitionSnapshotPtr split;
    (void)seconds(session, session::OpenLogs{{file}, false}, split);
    const session::LogSnapshotPtr log = session.logs().front();
    const auto joints = session::loggedPartitions(*log, {}, {});
    session::PartitionJoint command{joints.front().joint, {}};
    const double first = seconds(session, command, split);
    double best = 1e9;
    double worst = 0;
    const std::vector<session::SavedTensor> saved = split->saved;
    std::size_t forced = 0;
    for (std::size_t i = saved.size(); i-- > 0 && forced < 5;) {
        if (split->partition->joint->node(saved[i].node).op == ir::Opcode::CallFunction) {
            command.choices.nodes = {{saved[i].name, passes::Forced::Recompute}};
            const double took = seconds(session, command, split);
            best = std::min(best, took);
            worst = std::max(worst, took);
            ++forced;
        }
    }
    std::printf("%-24s %8zu %10.1f %10.1f %10.1f %10.2f\n", name, split->joint->graph->size(), first * 1e3,
                best * 1e3, worst * 1e3, marksSeconds(session, *split) * 1e3);
}

} // namespace

int main() {
    std::printf("%-24s %8s %10s %10s %10s %10s\n", "graph", "nodes", "first ms", "best ms", "worst ms",
                "marks ms");
    if (!test::corpusMissing()) {
        measure("huge_transformer", test::corpusDir() / "golden" / "huge_transformer.json.xz");
        measure("gpt2_12l", test::corpusDir() / "golden" / "gpt2_12l.json.xz");
    }
    const test::TempFolder folder;
    for (const std::size_t nodes : {1'000, 2'000, 10'000, 50'000}) {
        const std::string name = "made up, " + std::to_string(nodes);
        measure(name.c_str(), folder.write("joint.json", ir::graphToJson(*test::madeUpJoint(nodes))));
    }
    return 0;
}
