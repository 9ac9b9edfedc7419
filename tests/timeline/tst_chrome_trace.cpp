// A trace that PyTorch's profiler wrote, against what the profiler itself says of its events
// (make_traces.py), and what is written here, read again.
#include "trace_text.h"

#include "timeline/chrome_trace_write.h"

#include <algorithm>

using namespace aotscope;
using namespace aotscope::timeline;
using namespace aotscope::test;

namespace {

TimelinePtr recorded(std::string_view file) {
    auto read = readChromeTrace(timelineFile(file));
    REQUIRE(read.ok());
    return *read;
}

struct RecordedEvent {
    std::string name;
    std::int64_t nanoseconds = 0;
    std::string parent;
    std::int64_t sequenceNumber = -1;
};

std::vector<RecordedEvent> recordedEvents() {
    std::ifstream in(timelineFile("mlp_events.tsv"));
    std::vector<RecordedEvent> events;
    for (std::string line; std::getline(in, line);) {
        std::istringstream cells(line);
        RecordedEvent event;
        std::string duration;
        std::string number;
        std::getline(cells, event.name, '\t');
        std::getline(cells, duration, '\t');
        std::getline(cells, event.parent, '\t');
        std::getline(cells, number, '\t');
        event.nanoseconds = std::stoll(duration);
        event.sequenceNumber = std::stoll(number);
        events.push_back(std::move(event));
    }
    return events;
}

std::vector<EventId> operatorsByStart(const Timeline& timeline) {
    std::vector<EventId> events;
    for (std::uint32_t row = 0; row < timeline.rows().size(); ++row) {
        for (std::uint32_t index = 0; index < timeline.rows()[row]->size(); ++index) {
            const Category category = timeline.category({row, index});
            if (category == Category::Operator || category == Category::Annotation) {
                events.push_back({row, index});
            }
        }
    }
    std::ranges::sort(events, {}, [&](EventId event) {
        return std::pair(timeline.start(event), -timeline.duration(event));
    });
    return events;
}

} // namespace

TEST_CASE("events of PyTorch's profiler") {
    const TimelinePtr timeline = recorded("mlp_trace.json.gz");
    CHECK(timeline->problems().empty());
    CHECK(timeline->parts().leftOut.empty());
    const std::vector<RecordedEvent> expected = recordedEvents();
    const std::vector<EventId> found = operatorsByStart(*timeline);
    REQUIRE(found.size() == expected.size());
    std::size_t withNumber = 0;
    for (std::size_t at = 0; at < found.size(); ++at) {
        CAPTURE(at);
        const Row& row = timeline->row(found[at]);
        CHECK(timeline->name(found[at]) == expected[at].name);
        CHECK(timeline->duration(found[at]) == expected[at].nanoseconds);
        const auto parent = row.parent(found[at].index);
        CHECK((parent ? timeline->name({found[at].row, *parent}) : "") == expected[at].parent);
        if (expected[at].sequenceNumber >= 0) {
            ++withNumber;
            CHECK(row.sequenceNumber(found[at].index) == expected[at].sequenceNumber);
        }
    }
    CHECK(withNumber > 0);
    const EventId addmm = eventOf(*timeline, "aten::addmm");
    CHECK(argumentOf(*timeline, addmm, "Input Dims").find("[8, 16]") != std::string::npos);
    CHECK(timeline->text(addmm).starts_with("{"));
    // 2026, when it was recorded.
    CHECK((timeline->parts().epoch + timeline->begin()) / 1'000'000'000 / 31'556'952 + 1970 == 2026);
}

TEST_CASE("flows from the forward to the backward") {
    const TimelinePtr timeline = recorded("mlp_trace.json.gz");
    std::vector<std::string> found;
    for (const Flow& flow : timeline->flows()) {
        CHECK(flow.kind == FlowKind::Backward);
        const auto number = timeline->row(flow.from).sequenceNumber(flow.from.index);
        CHECK(number.has_value());
        CHECK(timeline->row(flow.to).sequenceNumber(flow.to.index) == number);
        CHECK(timeline->flowsOf(flow.from).size() == 1);
        CHECK(timeline->flowsOf(flow.to).size() == 1);
        found.push_back(timeline->name(flow.from) + " > " + timeline->name(flow.to));
    }
    std::ranges::sort(found);
    CHECK(found == std::vector<std::string>{"CompiledFunction > CompiledFunctionBackward",
                                            "aten::sum > SumBackward0"});
}

TEST_CASE("the memory curve is the profiler's total") {
    const TimelinePtr timeline = recorded("mlp_trace.json.gz");
    REQUIRE(timeline->counters().size() == 1);
    const Counter& counter = timeline->counters()[0];
    CHECK(counter.name == "CPU memory allocated");
    CHECK(counter.unit == "B");
    CHECK(std::ranges::is_sorted(counter.times));
    // The trace has 24 allocations and frees; its first is one of 8 x 32 floats. Before it nothing was
    // allocated.
    CHECK(counter.times.size() == 25);
    CHECK(counter.values[0] == 0);
    CHECK(counter.times[0] == timeline->begin());
    CHECK(counter.values[1] == 1024);
    CHECK(counter.at(counter.times[1]) == 1024);
    CHECK(counter.at(counter.times[1] - 1) == 0);
    CHECK_FALSE(counter.at(counter.times[0] - 1).has_value());
}

TEST_CASE("a written trace reads as the same") {
    for (const std::string_view file : {"mlp_trace.json.gz", "mlp_marked.json.gz"}) {
        const TimelinePtr timeline = recorded(file);
        std::ostringstream out;
        REQUIRE(writeChromeTrace(*timeline, out).ok());
        const TimelinePtr again = readGood(out.str());
        CHECK(again->problems().empty());
        REQUIRE(again->rows().size() == timeline->rows().size());
        CHECK(again->parts().epoch == timeline->parts().epoch);
        for (std::uint32_t row = 0; row < timeline->rows().size(); ++row) {
            const Row& before = *timeline->rows()[row];
            const Row& after = *again->rows()[row];
            CHECK(after.process == before.process);
            CHECK(after.name == before.name);
            CHECK(after.kind == before.kind);
            CHECK(after.starts == before.starts);
            CHECK(after.durations == before.durations);
            CHECK(after.categories == before.categories);
            CHECK(after.lanes == before.lanes);
            CHECK(after.sequenceNumbers == before.sequenceNumbers);
            for (std::uint32_t event = 0; event < before.size(); ++event) {
                CHECK(again->name({row, event}) == timeline->name({row, event}));
                CHECK(again->arguments({row, event}) == timeline->arguments({row, event}));
            }
        }
        CHECK(again->flows() == timeline->flows());
        REQUIRE(again->counters().size() == timeline->counters().size());
        CHECK(again->counters()[0].times == timeline->counters()[0].times);
        CHECK(again->counters()[0].values == timeline->counters()[0].values);
    }
}

TEST_CASE("texts of one program follow one another") {
    const auto text = [](std::string_view name, std::string_view start) {
        return std::make_shared<const std::string>(
            R"({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": ")" + std::string(name) +
            R"(", "pid": 1, "tid": 1, "ts": )" + std::string(start) + R"(, "dur": 5, "args": {"of": ")" +
            std::string(name) + R"("}}]})");
    };
    const auto both = readChromeTraces({text("forward", "100"), text("backward", "900")});
    REQUIRE(both.ok());
    const EventId forward = eventOf(**both, "forward");
    const EventId backward = eventOf(**both, "backward");
    CHECK((*both)->start(forward) == 100'000);
    CHECK((*both)->start(backward) == 105'000);
    CHECK(argumentOf(**both, backward, "of") == "backward");
    CHECK(argumentOf(**both, forward, "of") == "forward");
}
