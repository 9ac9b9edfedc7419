#include "memory_report.h"

#include "console.h"
#include "table.h"
#include "torch_option.h"

#include "explain_option.h"

#include "explore/partition_csv.h"
#include "memory/peak_difference.h"
#include "memory/profile_svg.h"

#include "base/formatted.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

std::string exactBytes(std::int64_t bytes) {
    return bytesText(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

std::string peakLine(const Profiled& profiled, const std::string& name, const memory::Peak& peak) {
    return "  " + name + ": " + exactBytes(peak.bytes) + " at " + profiled.nodeAt(peak.position) + "\n";
}

std::string aliveTable(const MemoryAnswer& answer, std::size_t top) {
    Table table({{"alive at the peak"},
                 {"bytes", Table::Align::Right},
                 {"category"},
                 {"from"},
                 {"to"},
                 {"module", Table::Align::Left, Table::Kept::End}});
    const memory::MemoryProfile& profile = *answer.shown.profile;
    const auto alive = memory::aliveAt(profile, profile.peak.position);
    for (std::size_t i = 0; i < std::min(top, alive.size()); ++i) {
        table.add({alive[i]->name, std::to_string(alive[i]->bytes),
                   std::string(base::wordOf(alive[i]->category)), answer.shown.nodeAt(alive[i]->from),
                   answer.shown.nodeAt(alive[i]->last), answer.moduleOf(*alive[i])});
    }
    std::string text = table.text(resultWidth());
    if (alive.size() > top) {
        text += "… and " + std::to_string(alive.size() - top) + " more\n";
    }
    return text;
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
    Table table({{"value"},
                 {other.label, Table::Align::Right},
                 {answer.shown.label, Table::Align::Right},
                 {"difference", Table::Align::Right},
                 {"category"},
                 {"module", Table::Align::Left, Table::Kept::End}});
    const auto bytes = [](const memory::LiveRange* range) {
        return range == nullptr ? std::string("-") : std::to_string(range->bytes);
    };
    for (std::size_t i = 0; i < std::min(top, differences.size()); ++i) {
        const memory::PeakDifference& entry = differences[i];
        table.add({entry.either().name, bytes(entry.left), bytes(entry.right),
                   (entry.bytes() < 0 ? "" : "+") + std::to_string(entry.bytes()),
                   std::string(base::wordOf(entry.either().category)), answer.moduleOf(entry.either())});
    }
    text += table.text(resultWidth());
    if (differences.size() > top) {
        text += "… and " + std::to_string(differences.size() - top) + " more\n";
    }
    return text;
}

std::string comparison(const MemoryAnswer& answer, std::size_t top) {
    Table table({{"order"},
                 {"peak", Table::Align::Right},
                 {"without inputs", Table::Align::Right},
                 {"forward", Table::Align::Right},
                 {"backward", Table::Align::Right},
                 {"at"}});
    const auto add = [&](const Profiled& order) {
        const memory::MemoryProfile& profile = *order.profile;
        table.add({order.label, std::to_string(profile.peak.bytes),
                   std::to_string(profile.intermediatePeak.bytes), std::to_string(profile.forwardPeak.bytes),
                   std::to_string(profile.backwardPeak.bytes), order.nodeAt(profile.peak.position)});
    };
    add(answer.shown);
    for (const Profiled& other : answer.others) {
        add(other);
    }
    std::string text = table.text(resultWidth());
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
    Table table({{"differs from"}, {"predicted", Table::Align::Right}, {"measured", Table::Align::Right}});
    for (std::size_t i = 0; i < std::min(top, differences.size()); ++i) {
        table.add({differences[i].node, std::to_string(differences[i].predicted),
                   std::to_string(differences[i].measured)});
    }
    text += table.text(resultWidth());
    if (differences.size() > top) {
        text += "… and " + std::to_string(differences.size() - top) + " more\n";
    }
    return text;
}

Json peakJson(const Profiled& profiled, const memory::Peak& peak) {
    return {{"bytes", peak.bytes}, {"position", peak.position}, {"node", profiled.nodeAt(peak.position)}};
}

Json orderJson(const Profiled& profiled) {
    const memory::MemoryProfile& profile = *profiled.profile;
    Json json{{"order", profiled.label},
              {"peak", peakJson(profiled, profile.peak)},
              {"peak_without_inputs", peakJson(profiled, profile.intermediatePeak)},
              {"forward_end", profile.forwardEnd},
              {"backward_begin", profile.backwardBegin},
              {"bytes", profile.bytes},
              {"bytes_without_inputs", profile.intermediateBytes},
              {"unknown_sizes", profile.unknown},
              {"approximations", profile.approximations}};
    if (profiled.backward) {
        json["peak_forward"] = peakJson(profiled, profile.forwardPeak);
        json["peak_backward"] = peakJson(profiled, profile.backwardPeak);
    }
    return json;
}

Json comparedJson(const MemoryAnswer& answer) {
    Json compared = Json::array();
    for (const Profiled& other : answer.others) {
        Json entry = orderJson(other);
        entry["differences"] = Json::array();
        for (const memory::PeakDifference& difference :
             memory::compareAtPeak(*other.profile, *answer.shown.profile)) {
            const auto bytes = [](const memory::LiveRange* range) {
                return range == nullptr ? Json(nullptr) : Json(range->bytes);
            };
            entry["differences"].push_back({{"name", difference.either().name},
                                            {"category", base::wordOf(difference.either().category)},
                                            {"bytes_there", bytes(difference.left)},
                                            {"bytes_here", bytes(difference.right)},
                                            {"module", answer.moduleOf(difference.either())}});
        }
        compared.push_back(std::move(entry));
    }
    return compared;
}

Json measuredJson(const MemoryAnswer& answer) {
    Json json{{"peak_without_inputs", answer.run->peakBytes},
              {"alive", Json::array()},
              {"scratch", Json::array()},
              {"differences", Json::array()}};
    for (const session::NodeRun& ran : answer.run->nodes) {
        json["alive"].push_back(ran.aliveBytes);
        json["scratch"].push_back(ran.scratchBytes);
    }
    for (const MeasuredDifference& difference : measuredDifferences(answer)) {
        json["differences"].push_back({{"node", difference.node},
                                       {"predicted", difference.predicted},
                                       {"measured", difference.measured}});
    }
    return json;
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

Json memoryJson(const MemoryAnswer& answer) {
    Json json{{"graph", answer.title}};
    json["error"] = answer.error ? errorJson(*answer.error) : Json(nullptr);
    if (answer.error) {
        return json;
    }
    json["rules"] = answer.rules ? rulesJson(*answer.rules) : Json(nullptr);
    json.update(orderJson(answer.shown));
    json["saved_verdict"] = answer.saved ? verdictJson(*answer.saved) : Json(nullptr);
    json["graphs_verdict"] = answer.graphsVerdict ? verdictJson(*answer.graphsVerdict) : Json(nullptr);
    json["ranges"] = Json::array();
    for (const memory::LiveRange& range : answer.shown.profile->ranges) {
        json["ranges"].push_back({{"name", range.name},
                                  {"aliases", range.aliases},
                                  {"category", base::wordOf(range.category)},
                                  {"bytes", range.bytes},
                                  {"from", range.from},
                                  {"last", range.last},
                                  {"takes_over", range.takesOver},
                                  {"module", answer.moduleOf(range)}});
    }
    if (!answer.others.empty()) {
        json["compared"] = comparedJson(answer);
    }
    if (answer.run) {
        json["measured"] = measuredJson(answer);
    }
    return json;
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
        for (const session::NodeRun& ran : answer.run->nodes) {
            picture.measured.push_back(ran.aliveBytes);
            picture.scratch.push_back(ran.scratchBytes);
        }
    }
    return memory::toSvg(picture);
}

} // namespace aotscope::cli
