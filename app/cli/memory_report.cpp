#include "memory_report.h"

#include "table.h"

#include "base/formatted.h"
#include "base/mapped.h"
#include "explore/partition_csv.h"
#include "memory/peak_difference.h"
#include "memory/profile_svg.h"

#include <algorithm>

namespace aotscope::cli {

std::string Profiled::nodeAt(std::uint32_t position) const {
    const ir::NodeId node = profile->nodes[position];
    if (!node.valid()) {
        return position < profile->backwardBegin ? "(between forward and backward)" : "(optimizer)";
    }
    const ir::Graph& graph = position < profile->forwardEnd || !backward ? *forward : *backward;
    return graph.node(node).name;
}

std::string MemoryAnswer::moduleOf(const memory::LiveRange& range) const {
    for (const session::GraphSnapshotPtr& graph : graphs) {
        const auto node = graph->graph->tryFind(range.name);
        if (node && node->index() < graph->modules.ofNode.size()) {
            return graph->modules.ofNode[node->index()].path;
        }
    }
    return {};
}

namespace {

/// Empty if the run agrees with the prediction at every node.
std::vector<MeasuredDifference> measuredDifferences(const MemoryAnswer& answer) {
    std::vector<MeasuredDifference> differences;
    std::int64_t before = 0;
    const std::vector<std::int64_t>& predicted = answer.shown.profile->intermediateBytes;
    for (std::size_t i = 0; i < answer.run->nodes.size() && i < predicted.size(); ++i) {
        const session::NodeRun& ran = answer.run->nodes[i];
        const std::int64_t apart = ran.aliveBytes - predicted[i];
        if (apart != before) {
            differences.push_back({answer.shown.forward->node(ran.node).name, predicted[i], ran.aliveBytes});
            before = apart;
        }
    }
    return differences;
}

/// The node that allocated most bytes beyond its results; null if none did.
const session::NodeRun* largestScratch(const session::RunSnapshot& run) {
    const auto found = std::ranges::max_element(run.nodes, {}, &session::NodeRun::scratchBytes);
    return found == run.nodes.end() || found->scratchBytes == 0 ? nullptr : &*found;
}

std::string exactBytes(std::int64_t bytes) {
    return bytesText(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

std::string peakLine(const Profiled& profiled, const std::string& name, const memory::Peak& peak) {
    return "  " + name + ": " + exactBytes(peak.bytes) + " at " + profiled.nodeAt(peak.position) + "\n";
}

std::string aliveTable(const MemoryAnswer& answer, std::size_t top) {
    Table table({"alive at the peak", numbers("bytes"), "category", "from", "to", paths("module")});
    const memory::MemoryProfile& profile = *answer.shown.profile;
    const auto alive = memory::aliveAt(profile, profile.peak.position);
    for (std::size_t i = 0; i < std::min(top, alive.size()); ++i) {
        table.add({alive[i]->name, alive[i]->bytes, alive[i]->category, answer.shown.nodeAt(alive[i]->from),
                   answer.shown.nodeAt(alive[i]->last), answer.moduleOf(*alive[i])});
    }
    return table.shown() + moreText(alive.size(), top);
}

/// The values that one order holds at its peak and the other does not at its own.
std::string differenceTable(const MemoryAnswer& answer, const Profiled& other, std::size_t top) {
    const auto differences = memory::compareAtPeak(*other.profile, *answer.shown.profile);
    if (differences.empty()) {
        return "  " + answer.shown.label + " against " + other.label + ": the same values at the peak\n";
    }
    const std::int64_t apart = answer.shown.profile->peak.bytes - other.profile->peak.bytes;
    std::string text = "  " + answer.shown.label + " against " + other.label + ": " + (apart < 0 ? "" : "+") +
                       std::to_string(apart) + " bytes at the peak\n";
    Table table({"value", numbers(other.label), numbers(answer.shown.label), numbers("difference"),
                 "category", paths("module")});
    const auto bytes = [](const memory::LiveRange* range) {
        return range == nullptr ? std::string("-") : std::to_string(range->bytes);
    };
    for (std::size_t i = 0; i < std::min(top, differences.size()); ++i) {
        const memory::PeakDifference& entry = differences[i];
        table.add({entry.either().name, bytes(entry.left), bytes(entry.right),
                   (entry.bytes() < 0 ? "" : "+") + std::to_string(entry.bytes()), entry.either().category,
                   answer.moduleOf(entry.either())});
    }
    return text + table.shown() + moreText(differences.size(), top);
}

std::string comparison(const MemoryAnswer& answer, std::size_t top) {
    Table table(
        {"order", numbers("peak"), numbers("without inputs"), numbers("forward"), numbers("backward"), "at"});
    const auto add = [&](const Profiled& order) {
        const memory::MemoryProfile& profile = *order.profile;
        table.add({order.label, profile.peak.bytes, profile.intermediatePeak.bytes, profile.forwardPeak.bytes,
                   profile.backwardPeak.bytes, order.nodeAt(profile.peak.position)});
    };
    add(answer.shown);
    for (const Profiled& other : answer.others) {
        add(other);
    }
    std::string text = table.shown();
    if (answer.saved && answer.graphsVerdict) {
        text += "what is saved, beside the log: " + base::verdictText(*answer.saved) +
                "\ngraphs, beside the log: " + base::verdictText(*answer.graphsVerdict) + "\n";
    }
    for (const Profiled& other : answer.others) {
        text += differenceTable(answer, other, top);
    }
    return text;
}

std::string twoDecimals(double percent) {
    return base::formatted("%.2f", percent);
}

std::string measuredText(const MemoryAnswer& answer, std::size_t top) {
    const session::RunSnapshot& run = *answer.run;
    const std::int64_t predicted = answer.shown.profile->intermediatePeak.bytes;
    const double percent = run.peakBytes == 0 ? 0
                                              : 100.0 * static_cast<double>(predicted - run.peakBytes) /
                                                    static_cast<double>(run.peakBytes);
    std::string text =
        "  measured peak without inputs: " + exactBytes(run.peakBytes) + ", predicted " +
        (predicted == run.peakBytes ? std::string("the same")
                                    : std::to_string(predicted) + " (" + twoDecimals(percent) + " % off)") +
        "\n";
    if (const session::NodeRun* scratch = largestScratch(run)) {
        text += "  most memory used inside one node: " + exactBytes(scratch->scratchBytes) + " in " +
                answer.shown.forward->node(scratch->node).name + "\n";
    }
    const std::vector<MeasuredDifference> differences = measuredDifferences(answer);
    if (differences.empty()) {
        return text + "  measured as predicted at every node\n";
    }
    Table table({"differs from", numbers("predicted"), numbers("measured")});
    for (std::size_t i = 0; i < std::min(top, differences.size()); ++i) {
        table.add({differences[i].node, differences[i].predicted, differences[i].measured});
    }
    return text + table.shown() + moreText(differences.size(), top);
}

PeakAnswer peakAnswer(const Profiled& profiled, const memory::Peak& peak) {
    return {peak, profiled.nodeAt(peak.position)};
}

OrderAnswer orderAnswer(const Profiled& profiled) {
    const memory::MemoryProfile& profile = *profiled.profile;
    OrderAnswer answer{.order = profiled.label,
                       .peak = peakAnswer(profiled, profile.peak),
                       .peakWithoutInputs = peakAnswer(profiled, profile.intermediatePeak),
                       .forwardEnd = profile.forwardEnd,
                       .backwardBegin = profile.backwardBegin,
                       .bytes = profile.bytes,
                       .bytesWithoutInputs = profile.intermediateBytes,
                       .unknownSizes = profile.unknown,
                       .approximations = profile.approximations};
    if (profiled.backward) {
        answer.peakForward = peakAnswer(profiled, profile.forwardPeak);
        answer.peakBackward = peakAnswer(profiled, profile.backwardPeak);
    }
    return answer;
}

ComparedOrder comparedOrder(const MemoryAnswer& answer, const Profiled& other) {
    const auto bytes = [](const memory::LiveRange* range) {
        return range == nullptr ? std::nullopt : std::optional(range->bytes);
    };
    ComparedOrder compared{orderAnswer(other)};
    for (const memory::PeakDifference& each : memory::compareAtPeak(*other.profile, *answer.shown.profile)) {
        compared.differences.push_back({each.either().name, each.either().category, bytes(each.left),
                                        bytes(each.right), answer.moduleOf(each.either())});
    }
    return compared;
}

MeasuredMemory measuredMemory(const MemoryAnswer& answer) {
    return {answer.run->peakBytes, base::mapped(answer.run->nodes, &session::NodeRun::aliveBytes),
            base::mapped(answer.run->nodes, &session::NodeRun::scratchBytes), measuredDifferences(answer)};
}

} // namespace

std::string memoryTable(const MemoryAnswer& answer, std::size_t top) {
    if (answer.error) {
        return answer.title + ": not known: " + answer.error->message + "\n";
    }
    const memory::MemoryProfile& profile = *answer.shown.profile;
    std::string text = answer.title + " (" + answer.shown.label +
                       (answer.partitioner.empty() ? "" : ", " + answer.partitioner) +
                       (answer.rules ? ", " + answer.rules->text() : "") + ")\n";
    if (answer.shown.backward) {
        text += peakLine(answer.shown, "peak of the forward", profile.forwardPeak);
        text += peakLine(answer.shown, "peak of the backward", profile.backwardPeak);
    }
    text += peakLine(answer.shown, "peak", profile.peak);
    text += peakLine(answer.shown, "peak without inputs", profile.intermediatePeak);
    if (answer.run) {
        return text + measuredText(answer, top);
    }
    return text + (answer.others.empty() ? aliveTable(answer, top) : comparison(answer, top));
}

std::string memoryCsv(const MemoryAnswer& answer) {
    std::string text;
    if (answer.error) {
        return text;
    }
    for (const memory::LiveRange& range : answer.shown.profile->ranges) {
        text += session::csvField(answer.title) + ',' + session::csvField(range.name) + ',' +
                std::to_string(range.bytes) + ',' + std::string(base::wordOf(range.category)) + ',' +
                std::to_string(range.from) + ',' + std::to_string(range.last) + ',' +
                session::csvField(answer.moduleOf(range)) + '\n';
    }
    return text;
}

MemoryShown memoryShown(const MemoryAnswer& answer) {
    if (answer.error) {
        return {{}, answer.title, answer.error};
    }
    MemoryShown shown{orderAnswer(answer.shown), answer.title, {}, answer.saved,
                      answer.graphsVerdict,      answer.rules};
    for (const memory::LiveRange& range : answer.shown.profile->ranges) {
        shown.ranges.push_back({range, answer.moduleOf(range)});
    }
    for (const Profiled& other : answer.others) {
        shown.compared.push_back(comparedOrder(answer, other));
    }
    if (answer.run) {
        shown.measured = measuredMemory(answer);
    }
    return shown;
}

std::string memorySvg(const MemoryAnswer& answer) {
    memory::ProfilePicture picture;
    picture.title = answer.title + " (" + answer.shown.label + ")";
    picture.profile = answer.shown.profile.get();
    for (const Profiled& other : answer.others) {
        picture.orders.push_back({other.label, other.profile.get()});
    }
    if (answer.run) {
        picture.inputs = memory::BandStack::Inputs::Hidden;
        picture.measured = base::mapped(answer.run->nodes, &session::NodeRun::aliveBytes);
        picture.scratch = base::mapped(answer.run->nodes, &session::NodeRun::scratchBytes);
    }
    return memory::toSvg(picture);
}

} // namespace aotscope::cli
