// A trace of a GPU, written by hand after the format's documentation (kineto: libkineto/src/output_json.cpp,
// CuptiActivity.h), because there was no GPU to record one on: rows of streams, launches, arguments of
// kernels.
#include "trace_text.h"

#include "timeline/chrome_trace_write.h"

#include <algorithm>

using namespace aotscope;
using namespace aotscope::timeline;
using namespace aotscope::test;

namespace {

std::string event(std::string_view category, std::string_view name, int process, int thread, int time,
                  int duration, int correlation = 0) {
    const std::string number = correlation == 0 ? "" : "\"correlation\": " + std::to_string(correlation);
    return R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "name": ")" + std::string(name) +
           R"(", "pid": )" + std::to_string(process) + R"(, "tid": )" + std::to_string(thread) +
           R"(, "ts": )" + std::to_string(time) + R"(, "dur": )" + std::to_string(duration) +
           R"(, "args": {)" + number + "}}";
}

std::string flowEnd(char phase, std::string_view category, int id, int process, int thread, int time,
                    std::string_view more = {}) {
    return R"({"ph": ")" + std::string(1, phase) + R"(", "cat": ")" + std::string(category) +
           R"(", "name": ")" + std::string(category) + R"(", "id": )" + std::to_string(id) + R"(, "pid": )" +
           std::to_string(process) + R"(, "tid": )" + std::to_string(thread) + R"(, "ts": )" +
           std::to_string(time) + std::string(more) + "}";
}

constexpr std::string_view around = R"(, "bp": "e")";

std::string traceOf(const std::vector<std::string>& events) {
    std::string text = R"({"traceEvents": [)";
    for (const std::string& each : events) {
        text += (&each == &events.front() ? "" : ",\n") + each;
    }
    return text + "]}";
}

/// "launch: cudaLaunchKernel > gemm", sorted.
std::vector<std::string> arrows(const Timeline& timeline) {
    std::vector<std::string> found;
    for (const Flow& flow : timeline.flows()) {
        found.push_back(std::string(flow.kind == FlowKind::Launch     ? "launch"
                                    : flow.kind == FlowKind::Backward ? "backward"
                                                                      : "other") +
                        ": " + timeline.name(flow.from) + " > " + timeline.name(flow.to));
    }
    std::ranges::sort(found);
    return found;
}

std::uint64_t unboundEnds(const Timeline& timeline) {
    for (const auto& [what, count] : timeline.parts().leftOut) {
        if (what == "flow without an event at one of its ends") {
            return count;
        }
    }
    return 0;
}

} // namespace

TEST_CASE("a kernel is launched once") {
    // The runtime's call makes the driver's: both have the kernel's number.
    const TimelinePtr nested = readGood(traceOf({event("cuda_runtime", "cudaLaunchKernel", 7, 7, 10, 20, 41),
                                                 event("cuda_driver", "cuLaunchKernel", 7, 7, 12, 10, 41),
                                                 event("kernel", "gemm", 0, 3, 40, 5, 41)}));
    CHECK(arrows(*nested) == std::vector<std::string>{"launch: cuLaunchKernel > gemm"});
    // By the name that files of 2022 have.
    for (const std::string_view category : {"ac2g", "async_cpu_to_gpu"}) {
        const TimelinePtr both =
            readGood(traceOf({event("cuda_runtime", "cudaLaunchKernel", 7, 7, 10, 20, 41),
                              event("kernel", "gemm", 0, 3, 40, 5, 41), flowEnd('s', category, 41, 7, 7, 10),
                              flowEnd('f', category, 41, 0, 3, 40, around)}));
        CHECK(arrows(*both) == std::vector<std::string>{"launch: cudaLaunchKernel > gemm"});
        CHECK(unboundEnds(*both) == 0);
    }
}

TEST_CASE("a launch that the numbers do not tell keeps the file's arrow") {
    const TimelinePtr read = readGood(traceOf(
        {event("cuda_runtime", "cudaLaunchKernel", 7, 7, 10, 5, 41), event("kernel", "gemm", 0, 3, 40, 5, 41),
         event("cpu_op", "triton_launcher", 7, 7, 20, 5), event("kernel", "fused", 0, 3, 50, 5),
         flowEnd('s', "ac2g", 42, 7, 7, 20), flowEnd('f', "ac2g", 42, 0, 3, 50, around)}));
    CHECK(arrows(*read) ==
          std::vector<std::string>{"launch: cudaLaunchKernel > gemm", "launch: triton_launcher > fused"});
}

TEST_CASE("one launch of a CUDA graph has arrows to all its kernels") {
    std::vector<std::string> events{event("cuda_runtime", "cudaGraphLaunch", 7, 7, 10, 5),
                                    flowEnd('s', "ac2g", 9, 7, 7, 10)};
    for (int kernel = 0; kernel < 3; ++kernel) {
        events.push_back(event("kernel", "kernel" + std::to_string(kernel), 0, 3, 40 + 10 * kernel, 5));
        events.push_back(flowEnd('f', "ac2g", 9, 0, 3, 40 + 10 * kernel, around));
    }
    const TimelinePtr read = readGood(traceOf(events));
    CHECK(arrows(*read) == std::vector<std::string>{"launch: cudaGraphLaunch > kernel0",
                                                    "launch: cudaGraphLaunch > kernel1",
                                                    "launch: cudaGraphLaunch > kernel2"});
}

TEST_CASE("numbers of launches begin anew in each trace") {
    const auto trace = std::make_shared<const std::string>(
        traceOf({event("cuda_runtime", "cudaLaunchKernel", 7, 7, 10, 20, 1),
                 event("kernel", "gemm", 0, 3, 40, 5, 1)}));
    const auto read = readChromeTraces({trace, trace}, {});
    REQUIRE(read.ok());
    CHECK((*read)->flows().size() == 2);
}

TEST_CASE("a flow ends where its end is bound") {
    // Without "bp": "e" that is the next event that begins.
    const TimelinePtr next =
        readGood(traceOf({event("cpu_op", "from", 7, 7, 10, 5), event("cpu_op", "around", 7, 8, 15, 30),
                          event("cpu_op", "next", 7, 8, 25, 5), flowEnd('s', "own", 1, 7, 7, 10),
                          flowEnd('f', "own", 1, 7, 8, 20), flowEnd('s', "own", 2, 7, 7, 10),
                          flowEnd('f', "own", 2, 7, 8, 20, around)}));
    CHECK(arrows(*next) == std::vector<std::string>{"other: from > around", "other: from > next"});
    CHECK(unboundEnds(*next) == 0);
}

TEST_CASE("ends of flows without another end are told") {
    const TimelinePtr read =
        readGood(traceOf({event("cpu_op", "from", 7, 7, 10, 5), flowEnd('s', "fwdbwd", 1, 7, 7, 10),
                          flowEnd('f', "fwdbwd", 2, 7, 7, 12, around), flowEnd('s', "fwdbwd", 3, 7, 7, 10),
                          flowEnd('f', "fwdbwd", 3, 7, 99, 12, around)}));
    CHECK(read->flows().empty());
    CHECK(unboundEnds(*read) == 4);
}

TEST_CASE("the span of the recording is nobody's work") {
    const auto read = readChromeTrace(timelineFile("gpu_trace.json"));
    REQUIRE(read.ok());
    const EventId span = eventOf(**read, "PyTorch Profiler (0)");
    CHECK(base::wordOf((*read)->category(span)) == "recording");
    // Written and read again it still is.
    std::ostringstream out;
    REQUIRE(writeChromeTrace(**read, out).ok());
    const TimelinePtr again = readGood(out.str());
    CHECK((*again).category(eventOf(*again, "PyTorch Profiler (0)")) == Category::Recording);
}

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
