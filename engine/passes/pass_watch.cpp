#include "passes/pass_watch.h"

#include "ir/verifier.h"

#include <algorithm>
#include <utility>

namespace aotscope::passes {
namespace {

bool isSameGraph(const PassGraph& before, const PassGraph& after) {
    return before.name == after.name &&
           (before.graph == after.graph || ir::equalGraphs(*before.graph, *after.graph));
}

} // namespace

PassWatch::PassWatch(const PassObserver& observer, bool verify, const MakeGraphs& graphs)
    : m_observer(observer), m_verifies(verify) {
    if (m_observer || m_verifies) {
        m_before = graphs();
        m_verifies = m_verifies && std::ranges::all_of(m_before, [](const PassGraph& before) {
                         return ir::verifyGraph(*before.graph).empty();
                     });
        m_start = Clock::now();
    }
}

base::Result<void> PassWatch::passed(PassKind pass, const MakeGraphs& graphs) {
    if (!m_observer && !m_verifies) {
        return {};
    }
    PassRun run{.pass = pass, .time = Clock::now() - m_start, .graphs = graphs()};
    run.hasChanged = !std::ranges::equal(m_before, run.graphs, isSameGraph);
    if (m_verifies && run.hasChanged) {
        const std::string name = "The pass \"" + std::string(base::wordOf(pass)) + '"';
        for (const PassGraph& after : run.graphs) {
            if (auto broken = ir::brokenGraph(*after.graph, "passes.broken_graph", name, after.name)) {
                return *std::move(broken);
            }
        }
    }
    if (m_observer) {
        m_observer(run);
    }
    m_before = std::move(run.graphs);
    m_start = Clock::now();
    return {};
}

} // namespace aotscope::passes
