// Arbitrary bytes as a profiler's trace are read or refused, everything in the result can be looked at, and
// what is written from it reads as the same.
#include "ir/graph_builder.h"
#include "timeline/chrome_trace_read.h"
#include "timeline/chrome_trace_write.h"
#include "timeline/node_match.h"
#include "timeline/node_work.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>

namespace {

using namespace aotscope;
using namespace aotscope::timeline;

void expect(bool condition) {
    if (!condition) {
        std::abort();
    }
}

void lookAtRow(const Timeline& timeline, std::uint32_t number) {
    constexpr std::size_t mostLanes = 1'000;
    const Row& row = *timeline.rows()[number];
    expect(row.lanes.front() == 0 && row.lanes.back() == row.size());
    for (std::size_t lane = 0; lane < row.laneCount(); ++lane) {
        for (std::uint32_t event = row.lanes[lane]; event < row.lanes[lane + 1]; ++event) {
            const EventId id{number, event};
            expect(row.duration(event) >= 0 && row.names[event] < timeline.parts().names.size());
            const bool isFirst = event == row.lanes[lane];
            expect(isFirst || row.start(event - 1) <= row.start(event));
            expect(isFirst || lane + 1 >= mostLanes || row.end(event - 1) <= row.start(event));
            expect(row.laneOf(event) == lane);
            const auto children = row.children(event);
            expect(children.first <= children.second && children.second <= row.size());
            (void)timeline.arguments(id);
            (void)timeline.flowsOf(id);
            (void)kernelLaunch(timeline, id);
        }
    }
}

ir::GraphPtr someGraph() {
    ir::GraphBuilder graph;
    for (const char* name : {"mm", "add", "relu"}) {
        ir::Node node;
        node.name = name;
        node.target = "aten." + node.name + ".default";
        graph.append(ir::Node(node));
    }
    return graph.finish();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) { // NOLINT: libFuzzer's name
    static const ir::GraphPtr graph = someGraph();
    const auto text = std::make_shared<const std::string>(reinterpret_cast<const char*>(data), size);
    (void)isChromeTrace(*text);
    const auto read = readChromeTraces({text});
    if (!read) {
        expect(!read.error().code.empty() && !read.error().message.empty());
        return 0;
    }
    const Timeline& timeline = **read;
    expect(timeline.begin() <= timeline.end());
    expect(timeline.problemCount() >= timeline.problems().size());
    for (std::uint32_t row = 0; row < timeline.rows().size(); ++row) {
        lookAtRow(timeline, row);
    }
    for (const Flow& flow : timeline.flows()) {
        for (const EventId end : {flow.from, flow.to}) {
            expect(end.row < timeline.rows().size() && end.index < timeline.row(end).size());
        }
    }
    (void)workOfNodes(matchNodes(*read, {{"forward", graph}}));
    std::ostringstream out;
    expect(writeChromeTrace(timeline, out).ok());
    const auto again = readChromeTraces({std::make_shared<const std::string>(out.str())});
    expect(again.ok() && (*again)->eventCount() == timeline.eventCount());
    expect((*again)->problems().empty());
    return 0;
}
