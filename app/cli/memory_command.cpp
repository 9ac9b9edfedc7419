#include "commands.h"
#include "json_text.h"
#include "selection.h"
#include "table.h"

#include "memory/memory_profile.h"
#include "passes/static_inputs.h"
#include "session/logged_partitions.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <memory>

namespace aotscope::cli {

namespace {

struct Options {
    std::filesystem::path file;
    std::string id;
    std::string kind;
    std::string section;
    std::string format = "table";
    std::string rounding = "exact";
    std::size_t top = 20;
};

/// A profile and the graphs it is of.
struct Profiled {
    std::string title;
    session::GraphSnapshotPtr forward;
    /// Null: the profile is of `forward` alone.
    session::GraphSnapshotPtr backward;
    memory::MemoryProfile profile;
};

session::GraphSnapshotPtr loaded(Program& program, const session::ArtifactReference& reference) {
    auto graph = program.resultOf<session::GraphSnapshotPtr>(session::LoadGraph{reference});
    if (!graph->graph) {
        throw Failure(ExitNo, graph->error.value_or(base::Error{}));
    }
    return graph;
}

memory::ProfileOptions profileOptions(const Options& options) {
    return {options.rounding == "512" ? memory::Rounding::Blocks512 : memory::Rounding::Exact};
}

/// The forward returns what is the user's first, then what the backward takes before its tangents.
std::size_t userOutputs(const ir::Graph& forward, const ir::Graph& backward) {
    const auto output = forward.output();
    std::size_t returned = 0;
    if (output) {
        for (const ir::Argument& argument : forward.node(*output).args) {
            const auto* tuple = argument.as<ir::TupleArgument>();
            const auto* list = argument.as<ir::ListArgument>();
            returned += tuple != nullptr ? tuple->items.size() : list != nullptr ? list->items.size() : 1;
        }
    }
    const auto inputs = backward.placeholders();
    const auto saved = static_cast<std::size_t>(std::ranges::count_if(inputs, [&](ir::NodeId id) {
        return backward.node(id).target.find("tangents") == std::string::npos;
    }));
    return returned - std::min(saved, returned);
}

Profiled profileStep(Program& program, const session::LoggedPartition& logged, const Options& options) {
    Profiled profiled;
    profiled.title = titleOf(program, logged.joint);
    profiled.forward = loaded(program, *logged.forward);
    profiled.backward = loaded(program, *logged.backward);
    const ir::Graph& forward = *profiled.forward->graph;
    const ir::Graph& backward = *profiled.backward->graph;
    const memory::StepGraphs step{forward, backward, userOutputs(forward, backward),
                                  passes::staticInputsOf(forward, profiled.forward->inputSources)};
    profiled.profile = memory::profileStep(step, profileOptions(options));
    return profiled;
}

Profiled profileOne(Program& program, const Options& options) {
    Profiled profiled;
    const session::ArtifactReference reference =
        selectGraph(program, {{options.file}, options.id, options.kind, options.section});
    profiled.title = titleOf(program, reference);
    profiled.forward = loaded(program, reference);
    profiled.profile = memory::profileGraph(*profiled.forward->graph, profileOptions(options));
    return profiled;
}

std::vector<Profiled> profiles(Program& program, const Options& options) {
    if (!options.kind.empty()) {
        return {profileOne(program, options)};
    }
    const auto logs = program.open({options.file});
    const std::vector<CompileChoice> choices =
        options.id.empty() ? compilesWithGraphs(logs) : std::vector{selectCompile(logs, options.id)};
    std::vector<Profiled> found;
    for (const CompileChoice& choice : choices) {
        for (const session::LoggedPartition& logged :
             session::loggedPartitions(*choice.log, choice.compile, choice.id)) {
            if (logged.forward && logged.backward) {
                found.push_back(profileStep(program, logged, options));
            }
        }
    }
    if (found.empty()) {
        throw usageFailure("There is no forward with its backward here: choose a graph with --kind.",
                           {"The memory of a step needs both; of one graph alone it is told, too."});
    }
    return found;
}

std::string nodeAt(const Profiled& profiled, std::uint32_t position) {
    const ir::Graph& forward = *profiled.forward->graph;
    if (position < forward.size()) {
        return forward.node(forward.order()[position]).name;
    }
    const std::uint32_t begin = profiled.profile.backwardBegin;
    if (!profiled.backward || position < begin) {
        return "(between forward and backward)";
    }
    const ir::Graph& backward = *profiled.backward->graph;
    return position - begin < backward.size() ? backward.node(backward.order()[position - begin]).name
                                              : "(optimizer)";
}

std::string moduleOf(const Profiled& profiled, const memory::LiveRange& range) {
    if (range.forwardNode.valid()) {
        return profiled.forward->modules.ofNode[range.forwardNode.index()].path;
    }
    return profiled.backward && range.backwardNode.valid()
               ? profiled.backward->modules.ofNode[range.backwardNode.index()].path
               : std::string();
}

std::string tableOf(const Profiled& profiled, std::size_t top) {
    const memory::MemoryProfile& profile = profiled.profile;
    std::string text = profiled.title + "\n";
    const auto addPeak = [&](const char* name, const memory::Peak& peak) {
        text += std::string("  ") + name + ": " + bytesText(peak.bytes) + " (" + std::to_string(peak.bytes) +
                " bytes) at " + nodeAt(profiled, peak.position) + "\n";
    };
    if (profiled.backward) {
        addPeak("peak of the forward", profile.forwardPeak);
        addPeak("peak of the backward", profile.backwardPeak);
    }
    addPeak("peak", profile.peak);
    addPeak("peak without inputs", profile.intermediatePeak);
    Table table({{"alive at the peak"},
                 {"bytes", Table::Align::Right},
                 {"category"},
                 {"from"},
                 {"to"},
                 {"module", Table::Align::Left, Table::Kept::End}});
    const auto alive = memory::aliveAt(profile, profile.peak.position);
    for (std::size_t i = 0; i < std::min(top, alive.size()); ++i) {
        table.add({alive[i]->name, std::to_string(alive[i]->bytes),
                   std::string(memory::categoryName(alive[i]->category)), nodeAt(profiled, alive[i]->from),
                   nodeAt(profiled, alive[i]->last), moduleOf(profiled, *alive[i])});
    }
    text += table.text(resultWidth());
    if (alive.size() > top) {
        text += "… and " + std::to_string(alive.size() - top) + " more\n";
    }
    return text;
}

std::string csvField(const std::string& text) {
    if (text.find_first_of(",\"\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? "\"\"" : std::string(1, c);
    }
    return quoted + "\"";
}

std::string csvOf(const Profiled& profiled) {
    std::string text;
    for (const memory::LiveRange& range : profiled.profile.ranges) {
        text += csvField(profiled.title) + ',' + csvField(range.name) + ',' + std::to_string(range.bytes) +
                ',' + std::string(memory::categoryName(range.category)) + ',' + std::to_string(range.from) +
                ',' + std::to_string(range.last) + ',' + csvField(moduleOf(profiled, range)) + '\n';
    }
    return text;
}

Json peakJson(const Profiled& profiled, const memory::Peak& peak) {
    return {{"bytes", peak.bytes}, {"position", peak.position}, {"node", nodeAt(profiled, peak.position)}};
}

Json jsonOf(const Profiled& profiled) {
    const memory::MemoryProfile& profile = profiled.profile;
    Json json{{"graph", profiled.title},
              {"peak", peakJson(profiled, profile.peak)},
              {"peak_without_inputs", peakJson(profiled, profile.intermediatePeak)},
              {"forward_end", profile.forwardEnd},
              {"backward_begin", profile.backwardBegin},
              {"bytes", profile.bytes},
              {"bytes_without_inputs", profile.intermediateBytes},
              {"unknown_sizes", profile.unknown}};
    if (profiled.backward) {
        json["peak_forward"] = peakJson(profiled, profile.forwardPeak);
        json["peak_backward"] = peakJson(profiled, profile.backwardPeak);
    }
    json["ranges"] = Json::array();
    for (const memory::LiveRange& range : profile.ranges) {
        json["ranges"].push_back({{"name", range.name},
                                  {"aliases", range.aliases},
                                  {"category", memory::categoryName(range.category)},
                                  {"bytes", range.bytes},
                                  {"from", range.from},
                                  {"last", range.last},
                                  {"module", moduleOf(profiled, range)}});
    }
    return json;
}

int show(Program& program, const Options& options) {
    const std::vector<Profiled> found = profiles(program, options);
    if (options.format == "json") {
        Json json{{"schema", "aotscope.memory/1"}, {"profiles", Json::array()}};
        for (const Profiled& profiled : found) {
            json["profiles"].push_back(jsonOf(profiled));
        }
        program.console.result(jsonText(json));
    } else if (options.format == "csv") {
        program.console.result("graph,name,bytes,category,from,last,module\n");
        for (const Profiled& profiled : found) {
            program.console.result(csvOf(profiled));
        }
    } else {
        for (const Profiled& profiled : found) {
            program.console.result(tableOf(profiled, options.top));
        }
    }
    for (const Profiled& profiled : found) {
        if (!profiled.profile.unknown.empty()) {
            program.console.message(profiled.title + ": no size is known of " +
                                    listed(profiled.profile.unknown) + "; they count 0.");
        }
    }
    return ExitYes;
}

} // namespace

void addMemoryCommand(CLI::App& app, Action& chosen) {
    CLI::App* command =
        app.add_subcommand("memory", "Predict what is alive when, and the peak, from the graphs");
    command->footer(
        "Without --kind the step of each compile: forward, loss, backward as logged. Sizes are those "
        "of storages; what an operator allocates and frees inside itself is not counted.");
    auto options = std::make_shared<Options>();
    command->add_option("FILE", options->file, "Trace log, folder of logs, or graph file")->required();
    command->add_option("--id", options->id,
                        "Compile id: 0/0, 0/1_2, !0/1/0, -; rank3:0/0 or FILE:0/0 among several");
    command->add_option("--kind", options->kind, "One graph alone: joint, forward, backward, inference, …");
    command->add_option("--section", options->section, "A graph inside, as for the command graph");
    command->add_option("--format", options->format, "table, json (schema aotscope.memory/1) or csv")
        ->check(CLI::IsMember({"table", "json", "csv"}))
        ->capture_default_str();
    command
        ->add_option("--rounding", options->rounding,
                     "exact, or 512: the blocks of the CUDA caching allocator")
        ->check(CLI::IsMember({"exact", "512"}))
        ->capture_default_str();
    command->add_option("--top", options->top, "How many values of the peak are listed")
        ->capture_default_str();
    command->callback(
        [options, &chosen] { chosen = [options](Program& program) { return show(program, *options); }; });
}

} // namespace aotscope::cli
