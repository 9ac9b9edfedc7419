// A trace of a GPU, written by hand after the format's documentation (kineto: libkineto/src/output_json.cpp,
// CuptiActivity.h), because there was no GPU to record one on: rows of streams, launches, arguments of
// kernels.
#include "trace_text.h"

#include <algorithm>

using namespace aotscope;
using namespace aotscope::timeline;
using namespace aotscope::test;

TEST_CASE("streams, kernels and their launches") {
    const auto read = readChromeTrace(timelineFile("gpu_trace.json"));
    REQUIRE(read.ok());
    const Timeline& timeline = **read;
    CHECK(timeline.problems().empty());
    std::vector<std::string> streams;
    for (const RowPtr& row : timeline.rows()) {
        if (row->kind == RowKind::Stream) {
            streams.push_back(row->process + " / " + row->name);
        }
    }
    CHECK(streams == std::vector<std::string>{"python (GPU 0) / stream 7 ", "python (GPU 0) / stream 13 "});
    const EventId gemm = eventOf(timeline, "ampere_sgemm_32x32_sliced1x4_tn");
    CHECK(timeline.category(gemm) == Category::Kernel);
    CHECK(timeline.duration(gemm) == 12'500);
    CHECK(argumentOf(timeline, gemm, "grid") == "[1, 8, 4]");
    CHECK(argumentOf(timeline, gemm, "registers per thread") == "86");
    CHECK(argumentOf(timeline, gemm, "shared memory") == "32768");
    const std::vector<Flow> flows = timeline.flowsOf(gemm);
    REQUIRE(flows.size() == 1);
    CHECK(flows[0].kind == FlowKind::Launch);
    CHECK(timeline.name(flows[0].from) == "cudaLaunchKernel");
    CHECK(timeline.row(flows[0].from).parent(flows[0].from.index) == eventOf(timeline, "aten::addmm").index);
    // Those without an arrow in the file are linked by their correlation.
    const std::vector<Flow> copied = timeline.flowsOf(eventOf(timeline, "Memcpy DtoH (Device -> Pinned)"));
    REQUIRE(copied.size() == 1);
    CHECK(timeline.name(copied[0].from) == "cudaMemcpyAsync");
    CHECK(timeline.category(eventOf(timeline, "Stream Synchronize")) == Category::Synchronization);
    std::vector<std::string> counters;
    for (const Counter& counter : timeline.counters()) {
        counters.push_back(counter.name);
    }
    CHECK(counters == std::vector<std::string>{"CUDA 0 memory allocated", "CUDA 0 memory reserved"});
    CHECK(timeline.counters()[0].values == std::vector<double>{512, 1'536});
    CHECK(timeline.counters()[1].values == std::vector<double>{2'097'152});
    const auto& properties = timeline.parts().properties;
    CHECK(std::ranges::any_of(properties, [](const Argument& property) {
        return property.name == "deviceProperties" && property.value.find("H100") != std::string::npos;
    }));
}
