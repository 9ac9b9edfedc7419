#include "evidence/read_request.h"

#include "base/mapped.h"
#include "evidence/assigned_attributes.h"
#include "evidence/golden_unit.h"
#include "evidence/grad_mode.h"
#include "evidence/list_inputs.h"
#include "evidence/log_evidence.h"

#include "base/numbers.h"
#include "ir/bodies.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <set>

namespace aotscope::evidence {
namespace {

constexpr std::array<std::string_view, 3> moduleParts = {"._modules[", "._parameters[", "._buffers["};

/// Sources of modules: objects through whose `_modules`, `_parameters` or `_buffers` another source goes.
std::set<std::string, std::less<>> moduleSources(const std::vector<load::InputTensor>& inputs) {
    std::set<std::string, std::less<>> modules;
    for (const load::InputTensor& input : inputs) {
        for (const std::string_view part : moduleParts) {
            for (std::size_t at = input.source.find(part); at != std::string::npos;
                 at = input.source.find(part, at + 1)) {
                modules.insert(input.source.substr(0, at));
            }
        }
    }
    return modules;
}

/// Whether a source goes through one of the modules. Dynamo marks such tensors static.
bool belongsToModule(const std::string& source, const std::set<std::string, std::less<>>& modules) {
    return std::ranges::any_of(modules, [&](const std::string& module) {
        return source.size() > module.size() && source.starts_with(module) &&
               (source[module.size()] == '.' || source[module.size()] == '[');
    });
}

/// Only the letters and digits of a text. A source and the attribute name that Dynamo derives from it agree
/// in these.
std::string lettersAndDigits(std::string_view text) {
    std::string out;
    std::ranges::copy_if(text, std::back_inserter(out),
                         [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
    return out;
}

/// Whether an attribute's name is derived from a source: "L__self___fc_weight" from
/// L['self']._modules['fc']._parameters['weight'], "self___param_groups_0__params___0" from
/// L['self'].param_groups[0]['params'][0].
bool namesTheSame(std::string source, std::string_view attribute) {
    for (const std::string_view part : moduleParts) {
        for (std::size_t at = source.find(part); at != std::string::npos; at = source.find(part, at)) {
            source.erase(at, part.size());
        }
    }
    return lettersAndDigits(source).ends_with(lettersAndDigits(attribute));
}

ir::TensorMeta baseMeta(const load::InputTensor& described) {
    ir::TensorMeta meta;
    meta.dtype = describedDtype(described).value_or(ir::DType::Unknown);
    meta.shape = base::mapped(described.sizes, describedSize);
    meta.stride = base::mapped(described.strides, describedSize);
    meta.storageOffset = ir::SymInt(base::wholeNumber<std::int64_t>(described.storageOffset).value_or(0));
    meta.requiresGrad = described.requiresGrad;
    return meta;
}

class LoggedInputs {
public:
    /// `fromLists`: inputs were taken from lists. AOTAutograd then does not see Dynamo's module, and only
    /// parameters are static.
    LoggedInputs(std::vector<load::InputTensor> described, bool fromLists)
        : m_described(std::move(described)) {
        if (!fromLists) {
            m_modules = moduleSources(m_described);
        }
    }

    std::vector<aot::RetraceInput> all(const std::vector<load::InputTensor>& inputs) {
        return base::mapped(inputs, [&](const load::InputTensor& input) { return one(input); });
    }

    std::vector<aot::RetraceAttribute> attributes(const ir::Graph& program) {
        std::vector<aot::RetraceAttribute> made;
        for (const ir::NodeId id : program.order()) {
            const ir::Node& node = program.node(id);
            if (node.op != ir::Opcode::GetAttr || ir::bodyOf(program, node)) {
                continue;
            }
            const auto tensor = std::ranges::find_if(m_described, [&](const load::InputTensor& described) {
                return namesTheSame(described.source, node.target);
            });
            if (tensor != m_described.end()) {
                made.push_back({node.target, one(*tensor), !tensor->isParameter});
            }
        }
        return made;
    }

private:
    aot::RetraceInput one(const load::InputTensor& input) {
        aot::RetraceInput made;
        made.isStatic = input.isParameter || belongsToModule(input.source, m_modules);
        if (!input.described) {
            return made;
        }
        made.requiresGrad = input.requiresGrad;
        made.isLeaf = input.isLeaf;
        made.isParameter = input.isParameter;
        made.storageOffset = base::wholeNumber<std::int64_t>(input.storageOffset).value_or(0);
        made.storageBytes = input.storageBytes;
        if (input.base) {
            made.viewBase = baseMeta(*input.base);
        }
        if (input.storage >= 0) {
            const auto number = static_cast<std::int64_t>(m_storages.size());
            made.storage = m_storages.try_emplace({input.describer, input.storage}, number).first->second;
        }
        return made;
    }

    std::vector<load::InputTensor> m_described;
    std::set<std::string, std::less<>> m_modules;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> m_storages;
};

base::Result<void> checkInputs(const ProgramPlace& place, const aot::RetraceRequest& request) {
    const std::size_t told = request.inputs.size();
    const std::size_t expected = request.program->placeholders().size();
    if (told == expected) {
        return {};
    }
    return base::Error{.code = "retrace.inputs",
                       .message = "The graph " + place.artifact + " has " + std::to_string(expected) +
                                  " inputs, but the file describes " + std::to_string(told) + ".",
                       .hint = "The log may be incomplete: run `aotscope-cli problems`."};
}

base::Result<void> fillFromEvidence(const LogEvidence& evidence, const ProgramPlace& place,
                                    FoundRequest& found) {
    aot::RetraceRequest& request = found.request;
    const auto values = evidence.symbolValues();
    if (!request.program->symbolHints().empty()) {
        // Without those of symbols that were created after it.
        request.program = ir::withSymbolHints(request.program, {values.begin(), values.end()});
    }
    const std::vector<load::InputTensor> described = evidence.describedTensors();
    const bool fromLists = hasListInputs(*request.program);
    AOTSCOPE_TRY(told, withoutListInputs({request.program, evidence.inputTensors()}, described,
                                         evidence.loggedSymbols()));
    request.program = told.program;
    LoggedInputs inputs(described, fromLists);
    request.inputs = inputs.all(told.inputs);
    request.attributes = inputs.attributes(*request.program);
    for (const auto& [symbol, value] : values) {
        request.symbolHints[symbol] = value;
    }
    SymbolFacts facts = loggedSymbolFacts(evidence);
    request.symbolGuards = std::move(facts.guards);
    request.floatHints = std::move(facts.floats);
    request.numberSymbols = std::move(facts.numbers);
    request.unbackedNumbers = facts.unbackedNumbers;
    request.unbackedFloats = facts.unbackedFloats;
    const std::optional<aot::GlobalState> state = evidence.globalState();
    found.isGradModeAssumed = !state;
    request.state = state.value_or(aot::GlobalState());
    found.config = loggedConfig(evidence);
    const LoggedBackend backend = loggedBackend(evidence);
    request.decompositions = backend.table;
    request.keepInputMutations = backend.keepsInputMutations;
    request.assignedAttributes = assignedAttributes(evidence, *request.program);
    return checkInputs(place, request);
}

base::Result<void> fillFromLog(const ProgramPlace& place, EarlierCheckpoints& checkpoints,
                               const std::stop_token& stop, FoundRequest& found) {
    const auto compile = place.log->tryFindCompile(place.compile, place.rank);
    if (!compile) {
        return base::Error{.code = "session.no_such_compile",
                           .message = "There is no compile " + place.compile.text() + "."};
    }
    const auto graph = place.log->tryFindArtifact(*compile, place.artifact);
    if (!graph) {
        return base::Error{.code = "session.no_such_artifact",
                           .message = "There is no graph " + place.artifact + "."};
    }
    found.request.torch = madeBy(*place.log);
    found.request.earlierCheckpoints = checkpoints.before(place.log, graph->record, stop);
    return fillFromEvidence(LogEvidence(place.log, *compile, graph->record), place, found);
}

void fillFromPlaceholders(aot::RetraceRequest& request) {
    for (const ir::NodeId id : request.program->placeholders()) {
        aot::RetraceInput input;
        if (const ir::TensorMeta* tensor = ir::asTensor(request.program->node(id).value)) {
            input.isParameter = tensor->isParameter;
            input.isStatic = tensor->isParameter;
            input.requiresGrad = tensor->requiresGrad.value_or(tensor->isParameter);
            if (tensor->storageOffset && !tensor->storageOffset->isSymbolic()) {
                input.storageOffset = tensor->storageOffset->integer();
            }
        }
        request.inputs.push_back(input);
    }
}

/// Number of parameters and buffers that the program reads as attributes; AOTAutograd passes them before its
/// inputs.
std::size_t heldTensors(const ir::Graph& program) {
    std::set<std::string_view> names;
    for (const ir::NodeId id : program.order()) {
        const ir::Node& node = program.node(id);
        if (node.op == ir::Opcode::GetAttr && ir::asTensor(node.value) != nullptr) {
            names.insert(node.target);
        }
    }
    return names.size();
}

/// From the file if it says so, else from the program's values, else PyTorch's default, marked as assumed.
void setGradMode(const std::optional<bool>& told, FoundRequest& found) {
    const std::optional<bool> known = told ? told : shownGradMode(*found.request.program);
    found.request.state.gradEnabled = known.value_or(true);
    found.isGradModeAssumed = !known;
}

/// Without a configuration parameters are static, as Dynamo marks them.
void markStatic(const std::optional<std::vector<std::size_t>>& indices, std::size_t held,
                std::vector<aot::RetraceInput>& inputs) {
    if (!indices) {
        for (aot::RetraceInput& input : inputs) {
            input.isStatic = input.isParameter;
        }
        return;
    }
    for (const std::size_t index : *indices) {
        if (index >= held && index - held < inputs.size()) {
            inputs[index - held].isStatic = true;
        }
    }
}

base::Result<void> fillFromFile(const ProgramPlace& place, FoundRequest& found) {
    aot::RetraceRequest& request = found.request;
    const std::size_t end = place.artifact.rfind('/');
    if (!place.artifact.starts_with("units/") || end == std::string::npos) {
        setGradMode({}, found);
        fillFromPlaceholders(request);
        return {};
    }
    AOTSCOPE_TRY(unit, readGoldenUnit(place.path, std::string_view(place.artifact).substr(0, end)));
    request.torch = unit.torch;
    request.keepInputMutations = unit.keepInputMutations;
    request.symbolHints = unit.symbolHints;
    request.decompositions = unit.decompositions;
    found.config.options = std::move(unit.options);
    setGradMode(unit.gradEnabled, found);
    if (unit.inputs.empty()) {
        fillFromPlaceholders(request);
        return {};
    }
    request.inputs = std::move(unit.inputs);
    AOTSCOPE_CHECK(checkInputs(place, request));
    markStatic(unit.staticInputs, heldTensors(*request.program), request.inputs);
    return {};
}

} // namespace

aot::TorchVersion madeBy(const load::TraceLog& log) {
    return aot::torchVersionFromText(log.totals().torchVersion).value_or(aot::unnamedVersion());
}

base::Result<FoundRequest> readRequest(const ProgramPlace& place, ir::GraphPtr program,
                                       EarlierCheckpoints& checkpoints, const std::stop_token& stop) {
    FoundRequest found;
    found.request.program = std::move(program);
    AOTSCOPE_CHECK(place.log ? fillFromLog(place, checkpoints, stop, found) : fillFromFile(place, found));
    return found;
}

} // namespace aotscope::evidence
