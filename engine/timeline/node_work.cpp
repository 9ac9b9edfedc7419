#include "timeline/node_work.h"

#include "timeline/event_text.h"

#include <algorithm>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

namespace aotscope::timeline {

namespace {

std::optional<std::array<std::int64_t, 3>> threeNumbers(std::string_view list) {
    std::array<std::int64_t, 3> numbers{};
    std::size_t count = 0;
    std::size_t at = 0;
    while (count < 3 && (at = list.find_first_of("-0123456789", at)) != std::string_view::npos) {
        const std::size_t end = std::min(list.find_first_not_of("-0123456789", at), list.size());
        const auto number = integerOf(list.substr(at, end - at));
        if (!number) {
            return std::nullopt;
        }
        numbers[count++] = *number;
        at = end;
    }
    return count == 3 ? std::optional(numbers) : std::nullopt;
}

std::string demangled(std::string_view name) {
    if (!name.starts_with("_Z")) {
        return std::string(name);
    }
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && text ? text.get() : std::string(name);
}

/// Without what stands in brackets of any kind.
std::string withoutBrackets(std::string_view text) {
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    std::string out;
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (depth == 0 && text.substr(at).starts_with(unnamed)) {
            at += unnamed.size() - 1;
            continue;
        }
        const char c = text[at];
        depth += c == '<' || c == '(' ? 1 : 0;
        if (depth == 0) {
            out += c;
        }
        depth -= (c == '>' || c == ')') && depth > 0 ? 1 : 0;
    }
    return out;
}

/// Collects what lies inside an event of a node.
class Work {
public:
    Work(const MatchedTimeline& matched, NodeWork& work) : m_matched(matched), m_work(work) {}

    void collect(EventId event) {
        m_pending.push_back({event, false});
        while (!m_pending.empty()) {
            const auto [next, insideOperator] = m_pending.back();
            m_pending.pop_back();
            visit(next, insideOperator);
        }
        const Timeline& timeline = *m_matched.timeline;
        std::ranges::sort(m_work.operators, {}, [&](EventId id) { return timeline.start(id); });
        std::ranges::sort(m_work.kernels, {}, &KernelLaunch::start);
    }

private:
    void visit(EventId event, bool insideOperator) {
        const Timeline& timeline = *m_matched.timeline;
        const Category category = timeline.category(event);
        const bool isOperator = category == Category::Operator;
        if (isOperator) {
            ++m_work.operatorCount;
            if (!insideOperator) {
                m_work.operators.push_back(event);
            }
        }
        if (category == Category::Kernel) {
            addKernel(event);
        }
        for (const Flow& flow : timeline.flowsOf(event)) {
            if (flow.kind == FlowKind::Launch && flow.from == event &&
                timeline.category(flow.to) == Category::Kernel) {
                addKernel(flow.to);
            }
        }
        const auto [first, last] = timeline.row(event).children(event.index);
        for (std::uint32_t index = first; index < last; ++index) {
            m_pending.push_back({{event.row, index}, insideOperator || isOperator});
        }
    }

    void addKernel(EventId event) {
        m_work.kernels.push_back(kernelLaunch(*m_matched.timeline, event));
        m_work.kernelNanoseconds += m_work.kernels.back().duration;
    }

    const MatchedTimeline& m_matched;
    NodeWork& m_work;
    std::vector<std::pair<EventId, bool>> m_pending;
};

/// A GPU's if it has one: what lies on the CPU beside it is little.
std::vector<Counter>::const_iterator memoryOf(const Timeline& timeline) {
    constexpr std::string_view allocated = " memory allocated";
    const auto& counters = timeline.counters();
    const auto ofGpu = std::ranges::find_if(counters, [=](const Counter& counter) {
        return counter.name.starts_with("CUDA ") && counter.name.ends_with(allocated);
    });
    return ofGpu != counters.end()
               ? ofGpu
               : std::ranges::find(counters, "CPU" + std::string(allocated), &Counter::name);
}

void addMemory(const Timeline& timeline, NodeWork& work) {
    const auto counter = memoryOf(timeline);
    if (counter == timeline.counters().end()) {
        return;
    }
    // What was there before the program stands at its very beginning.
    const auto first = std::ranges::upper_bound(counter->times, work.start);
    const auto last = std::ranges::upper_bound(counter->times, work.start + work.duration);
    work.memoryEvents = static_cast<std::size_t>(last - first);
    if (first != last) {
        const auto valueAt = [&](auto time) {
            return counter->values[static_cast<std::size_t>(time - counter->times.begin())];
        };
        work.memoryChange = valueAt(last - 1) - (first == counter->times.begin() ? 0 : valueAt(first - 1));
    }
}

} // namespace

std::string shortKernelName(std::string_view name) {
    std::string text = withoutBrackets(demangled(name));
    while (text.ends_with(' ')) {
        text.pop_back();
    }
    const std::size_t begin = text.find_last_of(" :");
    std::string last = begin == std::string::npos ? text : text.substr(begin + 1);
    return last.empty() ? std::string(name) : last;
}

KernelLaunch kernelLaunch(const Timeline& timeline, EventId kernel) {
    KernelLaunch launch;
    launch.event = kernel;
    launch.shortName = shortKernelName(timeline.name(kernel));
    launch.start = timeline.start(kernel);
    launch.duration = timeline.duration(kernel);
    for (const Argument& argument : timeline.arguments(kernel)) {
        if (argument.name == "grid") {
            launch.grid = threeNumbers(argument.value);
        } else if (argument.name == "block") {
            launch.block = threeNumbers(argument.value);
        } else if (argument.name == "registers per thread") {
            launch.registers = integerOf(argument.value);
        } else if (argument.name == "shared memory") {
            launch.sharedMemory = integerOf(argument.value);
        } else if (argument.name == "device") {
            launch.device = integerOf(argument.value);
        } else if (argument.name == "stream") {
            launch.stream = integerOf(argument.value);
        } else if (argument.name == "est. achieved occupancy %") {
            launch.occupancy = numberOf(argument.value);
        }
    }
    return launch;
}

std::vector<NodeWork> workOfNodes(const MatchedTimeline& matched) {
    std::vector<NodeWork> works;
    const Timeline& timeline = *matched.timeline;
    for (std::uint32_t index = 0; index < matched.matches.nodes.size(); ++index) {
        const NodeMatch& match = matched.matches.nodes[index];
        NodeWork& work = works.emplace_back();
        work.match = index;
        work.start = timeline.start(match.event);
        work.duration = timeline.duration(match.event);
        Work(matched, work).collect(match.event);
        addMemory(timeline, work);
    }
    return works;
}

} // namespace aotscope::timeline
