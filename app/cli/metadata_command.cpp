#include "answer.h"
#include "commands.h"
#include "compile_answer.h"
#include "console.h"
#include "options.h"
#include "retrace_report.h"
#include "table.h"

#include "base/joined.h"
#include "contract/retrace_options.h"
#include "contract/retrace_snapshot.h"
#include "ir/json/aot_metadata_json.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace aotscope::cli {

/// Values that share memory according to the metadata: a base and its aliases.
struct AliasGroup {
    /// "input 0", "output 1", "intermediate base 0": indices of the traced function. For the program's
    /// arguments in one storage "one storage", or "the synthetic base primals_1" that replaces them.
    std::string base;
    /// "output 2 (alias_of_input)", "argument 3 l_x_ (elements 0 to 8)"
    std::vector<std::string> members;
};
AOTSCOPE_MEMBERS(AliasGroup, base, members)

/// The metadata of one compile as `metadata` answers; null where there is none.
struct CompileMetadata {
    std::string graph;
    std::string name;
    std::string kind;
    std::optional<aot::RulesChoice> rules = {};
    Json traced = {};
    Json logged = {};
    std::map<std::string, std::string> loggedOtherFields = {};
    std::optional<bool> equal = {};
    std::vector<std::string> differences;
    std::vector<std::string> notCompared;
    std::optional<std::vector<aot::StateFact>> globalState = {};
    std::optional<std::vector<AliasGroup>> aliasGroups = {};
    Json signature = {};
    std::optional<std::string> noSignature = {};
    std::optional<base::Error> error;
};
AOTSCOPE_MEMBERS(CompileMetadata, graph, name, kind, rules, traced, logged, loggedOtherFields, equal,
                 differences, notCompared, globalState, aliasGroups, signature, noSignature, error)

struct MetadataAnswer {
    std::vector<CompileMetadata> compiles = {};
    std::size_t equal = 0;
    std::size_t different = 0;
};
AOTSCOPE_MEMBERS(MetadataAnswer, compiles, equal, different)
AOTSCOPE_ANSWER(MetadataAnswer, "aotscope.metadata/2")

namespace {

std::string yes(bool is) {
    return is ? "yes" : "";
}

std::string numbersText(const std::vector<std::size_t>& numbers) {
    return numbers.empty() ? "none" : base::joined(numbers);
}

/// What is mutated, and where autograd sees it.
std::string mutationText(const ir::InputAliasInfo& input) {
    std::vector<std::string> parts;
    const auto add = [&](bool is, const char* word) {
        if (is) {
            parts.emplace_back(word);
        }
    };
    add(input.mutatesData, "data");
    add(input.mutatesMetadata, "metadata");
    add(input.mutatesStorageMetadata, "storage (set_)");
    add(input.mutationInductorStorageResize, "storage resized");
    add(input.mutationIsShallowCopyData.value_or(false), "data assigned");
    if (parts.empty()) {
        return {};
    }
    add(input.mutationsHiddenFromAutograd, "hidden from autograd");
    add(input.mutationsUnderNoGradOrInferenceMode, "under no_grad");
    return base::joined(parts);
}

/// The placeholders of the traced graph that are its inputs, tangents left out.
std::vector<std::string> inputNames(const ir::Graph* graph) {
    std::vector<std::string> names;
    for (const ir::NodeId id : graph != nullptr ? graph->placeholders() : std::vector<ir::NodeId>()) {
        if (!ir::isTangentOrBackwardToken(graph->node(id))) {
            names.push_back(graph->node(id).name);
        }
    }
    return names;
}

std::string inputsTable(const ir::ViewAndMutationMeta& metadata, const ir::Graph* graph) {
    // With tokens the graph has more inputs than the metadata.
    const std::vector<std::string> names = inputNames(graph);
    const bool isNamed = names.size() == metadata.inputInfo.size();
    Table table({numbers("input"), "name", "leaf", "grad", "static", "mutation", "mutated"});
    for (std::size_t i = 0; i < metadata.inputInfo.size(); ++i) {
        const ir::InputAliasInfo& input = metadata.inputInfo[i];
        const bool isStatic =
            std::ranges::find(metadata.staticInputIndices, i) != metadata.staticInputIndices.end();
        table.add({i, isNamed ? names[i] : "", yes(input.isLeaf), yes(input.requiresGrad), yes(isStatic),
                   input.mutationType(), mutationText(input)});
    }
    return table.empty() ? "  no inputs\n" : table.shown();
}

std::string outputsTable(const ir::ViewAndMutationMeta& metadata) {
    Table table({numbers("output"), "type", "value", numbers("base"), "grad", "dynamic"});
    for (std::size_t i = 0; i < metadata.outputInfo.size(); ++i) {
        const ir::OutputAliasInfo& output = metadata.outputInfo[i];
        const bool isDynamic = output.dynamicDims && !output.dynamicDims->empty();
        table.add({i, output.outputType, output.rawType,
                   output.baseIdx ? std::to_string(*output.baseIdx) : "", yes(output.requiresGrad),
                   isDynamic ? numbersText(*output.dynamicDims) : ""});
    }
    return table.empty() ? "  no outputs\n" : table.shown();
}

std::string tangentsTable(const ir::ViewAndMutationMeta& metadata) {
    Table table({numbers("tangent"), "of", "value", "stride", "expected layout", "made at"});
    for (std::size_t i = 0; i < metadata.tracedTangents.size(); ++i) {
        const ir::TensorMeta& tangent = metadata.tracedTangents[i];
        std::string of;
        if (i < metadata.tracedTangentsDescs.size()) {
            of = ir::descriptorText(metadata.tracedTangentsDescs[i]);
        }
        std::string layout;
        if (metadata.subclassTangentMeta && i < metadata.subclassTangentMeta->size()) {
            const ir::TangentMeta& meta = (*metadata.subclassTangentMeta)[i];
            layout = meta.isSubclass ? "subclass" : "";
            if (meta.layout) {
                layout = meta.layout->memoryFormat.empty() ? "strides " + sizesText(meta.layout->stride)
                                                           : meta.layout->memoryFormat;
            }
        }
        std::string source;
        if (metadata.tangentSourceStackTraces && i < metadata.tangentSourceStackTraces->size() &&
            (*metadata.tangentSourceStackTraces)[i]) {
            source = placeText(*(*metadata.tangentSourceStackTraces)[i]);
        }
        table.add({i, std::move(of), ir::valueText(ir::ValueMeta(tangent)), sizesText(tangent.stride),
                   std::move(layout), std::move(source)});
    }
    return table.empty() ? "  no tangents\n" : table.shown();
}

std::string factsText(const ir::ViewAndMutationMeta& metadata) {
    std::string text = "  intermediate bases " + std::to_string(metadata.numIntermediateBases) + "\n";
    text +=
        "  inputs mutated outside of the graph " + numbersText(metadata.mutatedInputRuntimeIndices()) + "\n";
    text += "  inputs mutated in the graph " + numbersText(metadata.mutatedGraphHandledIndices()) + "\n";
    text += textOf("  keeps input mutations in the graph ", metadata.keepInputMutations ? "yes" : "no", "\n");
    if (metadata.gradEnabledMutation) {
        text += std::string("  leaves grad mode ") + (*metadata.gradEnabledMutation ? "on" : "off") + "\n";
    }
    if (metadata.deterministic) {
        text += "  deterministic algorithms are requested\n";
    }
    if (!metadata.indicesOfInputsThatRequiresGradWithMutationsInBw.empty()) {
        text += "  inputs mutated in the backward " +
                numbersText(metadata.indicesOfInputsThatRequiresGradWithMutationsInBw) + "\n";
    }
    return text;
}

std::string tablesText(const ir::ViewAndMutationMeta& metadata, const ir::Graph* graph) {
    const std::string tables =
        inputsTable(metadata, graph) + outputsTable(metadata) + tangentsTable(metadata);
    return indentedLines(tables, "  ") + factsText(metadata);
}

std::string groupsText(const std::vector<AliasGroup>& groups) {
    std::string text;
    for (const AliasGroup& group : groups) {
        text += "  shares memory with " + group.base + ": " + base::joined(group.members) + "\n";
    }
    return text.empty() ? "  no aliases\n" : text;
}

/// The global state that was followed, where it is not PyTorch's default.
std::string stateText(const session::RetraceSnapshot& snapshot) {
    return linesOf(aot::stateLines(snapshot.result->function.configuration.state), "  global state: ");
}

std::string checkedText(const session::RetraceSnapshot& snapshot) {
    if (snapshot.untracedMetadata) {
        // A note of the re-trace says why.
        const auto why = std::ranges::find_if(snapshot.notes, [](const std::string& note) {
            return note.starts_with("The metadata is not compared");
        });
        return "  " + (why == snapshot.notes.end() ? "the logged metadata is not compared" : *why) + "\n";
    }
    if (!snapshot.loggedMetadata) {
        return "  no metadata is logged to compare with\n";
    }
    std::string text = snapshot.metadataDifferences.empty() ? "  the logged metadata is equal\n" : "";
    text += linesOf(snapshot.metadataDifferences, "  differs: ");
    if (!snapshot.metadataNotCompared.empty()) {
        text += "  not compared: " + base::joined(snapshot.metadataNotCompared) + "\n";
    }
    return text;
}

/// What an output that aliases something is a view of.
std::string baseOf(const ir::OutputAliasInfo& output) {
    if (!output.baseIdx) {
        return {};
    }
    const std::string index = std::to_string(*output.baseIdx);
    switch (output.outputType) {
    case ir::OutputType::AliasOfInput:
    case ir::OutputType::IsInput:
        return "input " + index;
    case ir::OutputType::AliasOfIntermediate:
    case ir::OutputType::AliasOfIntermediateSaveAsOutput:
        return "intermediate base " + index;
    case ir::OutputType::AliasOfIntermediateBaseIsUserOutput:
        return "output " + index;
    default:
        return {};
    }
}

/// Groups of inputs that share memory and of outputs that alias something. Outputs that alias each other
/// through one base are in one group.
std::vector<AliasGroup> aliasGroups(const ir::ViewAndMutationMeta& metadata,
                                    const std::vector<session::SharedMemory>& sharedInputs) {
    std::vector<AliasGroup> groups;
    const auto groupOf = [&](const std::string& base) -> AliasGroup& {
        const auto found = std::ranges::find(groups, base, &AliasGroup::base);
        return found != groups.end() ? *found : groups.emplace_back(AliasGroup{base, {}});
    };
    for (const session::SharedMemory& memory : sharedInputs) {
        if (memory.inputs.empty()) {
            continue;
        }
        AliasGroup& group = groups.emplace_back(
            AliasGroup{memory.base.empty() ? "one storage" : "the synthetic base " + memory.base, {}});
        for (const session::SharedInput& input : memory.inputs) {
            std::string member = "argument " + std::to_string(input.index) + " " + input.name;
            if (input.elements) {
                member += textOf(" (elements ", input.elements->first, " to ", input.elements->second, ")");
            }
            group.members.push_back(std::move(member));
        }
    }
    for (std::size_t i = 0; i < metadata.outputInfo.size(); ++i) {
        const ir::OutputAliasInfo& output = metadata.outputInfo[i];
        if (const std::string base = baseOf(output); !base.empty()) {
            groupOf(base).members.push_back(textOf("output ", i, " (", output.outputType, ")"));
        }
    }
    return groups;
}

/// Tables of inputs, outputs and tangents, alias groups and the signature, and where the logged metadata
/// differs. If nothing was traced, the logged metadata alone and why.
std::string metadataText(const RetraceRun& run) {
    const session::RetraceSnapshot& snapshot = *run.snapshot;
    std::string text = titleWithKind(run.title, snapshot);
    if (!snapshot.result) {
        text += ": not traced: " + snapshot.error->message + "\n";
        const ir::ViewAndMutationMeta* logged = loggedMetadata(snapshot);
        return logged != nullptr ? text + "  as logged:\n" + tablesText(*logged, nullptr) +
                                       groupsText(aliasGroups(*logged, {}))
                                 : text;
    }
    text += ": as traced here" + (snapshot.rules ? ", " + snapshot.rules->text() : std::string()) + "\n";
    text += tablesText(snapshot.result->function.metadata, snapshot.result->function.graph.get()) +
            stateText(snapshot);
    text += groupsText(aliasGroups(snapshot.result->function.metadata, snapshot.sharedInputs));
    text += signatureText(run);
    text += checkedText(snapshot);
    if (!snapshot.metadataDifferences.empty() || snapshot.untracedMetadata) {
        text +=
            "  as logged:\n" + tablesText(*loggedMetadata(snapshot), snapshot.result->function.graph.get());
    }
    return text;
}

CompileMetadata compileMetadata(const RetraceRun& run) {
    const session::RetraceSnapshot& snapshot = *run.snapshot;
    CompileMetadata answer{.graph = run.title,
                           .name = snapshot.target.name,
                           .kind = graphKind(snapshot),
                           .rules = snapshot.rules,
                           .loggedOtherFields = otherFields(snapshot),
                           .differences = snapshot.metadataDifferences,
                           .notCompared = snapshot.metadataNotCompared,
                           .error = snapshot.error};
    const ir::ViewAndMutationMeta* metadata = nullptr;
    if (const ir::ViewAndMutationMeta* logged = loggedMetadata(snapshot)) {
        answer.logged = Json::parse(ir::metadataToJson(*logged));
        metadata = logged;
    }
    if (snapshot.result) {
        metadata = &snapshot.result->function.metadata;
        answer.traced = Json::parse(ir::metadataToJson(*metadata));
        answer.globalState = aot::stateFacts(snapshot.result->function.configuration.state);
        if (snapshot.loggedMetadata) {
            answer.equal = snapshot.metadataDifferences.empty();
        }
    }
    if (metadata != nullptr) {
        answer.aliasGroups = aliasGroups(*metadata, snapshot.sharedInputs);
    }
    if (run.signature && run.signature->ok()) {
        answer.signature = Json::parse(aot::signatureToJson(**run.signature));
    } else if (run.signature) {
        answer.noSignature = run.signature->error().message;
    }
    return answer;
}

MetadataAnswer metadataAnswer(const std::vector<RetraceRun>& runs) {
    MetadataAnswer answer;
    for (const RetraceRun& run : runs) {
        answer.compiles.push_back(compileMetadata(run));
        if (const std::optional<bool> equal = answer.compiles.back().equal) {
            ++(*equal ? answer.equal : answer.different);
        }
    }
    return answer;
}

struct MetadataCommandOptions {
    std::vector<std::filesystem::path> files;
    std::string id;
    session::RetraceOptions retrace;
    bool json = false;
};

RetraceRun metadataOf(Program& program, const TargetChoice& choice, const session::RetraceOptions& options) {
    RetraceRun run{targetTitle(choice), retraced(program, choice, options)};
    if (run.snapshot->result) {
        run.signature = aot::makeSignature(*run.snapshot->result->function.graph,
                                           &run.snapshot->result->function.metadata);
    }
    return run;
}

int showMetadata(Program& program, const MetadataCommandOptions& options) {
    std::vector<RetraceRun> runs;
    for (const TargetChoice& choice : selectTargets(program.open(options.files), options.id)) {
        runs.push_back(metadataOf(program, choice, options.retrace));
        if (!options.json) {
            program.console.result(metadataText(runs.back()));
        }
    }
    if (runs.empty()) {
        throw nothingToTrace();
    }
    if (options.json) {
        program.console.result(answerText(metadataAnswer(runs)));
    }
    const bool isEqual = std::ranges::all_of(runs, [](const RetraceRun& run) {
        return run.snapshot->result && run.snapshot->metadataDifferences.empty();
    });
    return isEqual ? ExitYes : ExitNo;
}

} // namespace

void addMetadataCommand(Command app, Action& chosen) {
    const auto [command, options] =
        addCommand(app, chosen, "metadata",
                   "Show what AOTAutograd infers about a function before it traces it (ViewAndMutationMeta)",
                   showMetadata);
    command.setFooter("As found here and as PyTorch logged it, with the differences: what is mutated, what "
                      "aliases what, the tangents. Exit code 1 when they differ or nothing could be traced.");
    addFileOptions(command, options->files, options->id);
    addTorchOption(command, options->retrace.torch);
    addConfigOption(command, options->retrace.config);
    command.addFlag("--json", &options->json, jsonHelp<MetadataAnswer>());
}

} // namespace aotscope::cli
