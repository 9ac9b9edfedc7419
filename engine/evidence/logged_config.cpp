#include "evidence/logged_config.h"

#include "base/text_search.h"
#include "evidence/compilation_metrics.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>

namespace aotscope::evidence {
namespace {

using ConfigJson = nlohmann::json;

constexpr std::string_view functorchArtifact = "torch._functorch.config";
constexpr std::string_view runnableArtifact = "fx_graph_runnable";
constexpr std::string_view unlifting = "unlift_effect_tokens";
constexpr std::string_view inductorPrefix = "torch._inductor.config.";

/// In the module, but no options.
constexpr std::array<std::string_view, 2> noOptions = {"TYPE_CHECKING", "_save_config_ignore"};

/// What AOTAutograd's record leaves out (_save_config_ignore) and can matter within a budget.
constexpr std::array<std::string_view, 2> notRecorded = {"activation_memory_budget_runtime_estimator",
                                                         "activation_memory_budget_solver"};

/// Left out, too; it can change any halves, but hardly any program has one.
constexpr std::string_view customPass = "joint_custom_pass";

/// Options that hold for any backend; Inductor's others only for a compile by Inductor.
constexpr std::array<std::string_view, 2> forAllBackends = {
    "torch._inductor.config.enable_auto_functionalized_v2", "torch._inductor.config.fallback_random"};

/// "<function f>" for "<function f at 0x7f296fd0ce00>": where it lay tells nothing, and is another each time.
std::string withoutAddress(std::string text) {
    constexpr std::string_view mark = " at 0x";
    if (const std::size_t at = text.find(mark); at != std::string::npos && text.starts_with('<')) {
        const std::size_t end = text.find_first_not_of("0123456789abcdef", at + mark.size());
        text.erase(at, end == std::string::npos ? end : end - at);
    }
    return text;
}

std::string configText(const ConfigJson& value) {
    if (value.is_boolean()) {
        return value.get<bool>() ? "True" : "False";
    }
    if (value.is_null()) {
        return "None";
    }
    return value.is_string() ? withoutAddress(value.get<std::string>()) : value.dump();
}

void addFunctorch(const ConfigJson& config, LoggedConfig& found) {
    if (!config.is_object()) {
        return;
    }
    for (const auto& [name, value] : config.items()) {
        if (std::ranges::find(noOptions, name) != noOptions.end()) {
            continue;
        }
        const auto [option, isNew] = found.options.try_emplace(name, configText(value));
        if (!isNew && option->second != configText(value)) {
            // AOTAutograd saw another value than the process has.
            found.ofBackend.insert(name);
        }
    }
}

/// Only what is known: Inductor has hundreds of options.
void addInductor(const std::string& option, const std::string& text, bool isInductors, LoggedConfig& found) {
    const bool holds = isInductors || std::ranges::find(forAllBackends, option) != forAllBackends.end();
    if (holds && aot::tryConfigOption(option) != nullptr) {
        found.options.insert_or_assign(option, text);
    }
}

/// The metrics of a compile tell the configurations of the process when it ended: without what a backend
/// sets for its own call, but with options that AOTAutograd's own record leaves out.
/// Returns whether AOTAutograd's options are among them, as since torch 2.15.
bool addMetrics(const std::string& envelope, bool isInductors, LoggedConfig& found) {
    const CompilationMetrics metrics = metricsIn(envelope);
    const auto functorch = ConfigJson::parse(metrics.functorchConfig, nullptr, false);
    addFunctorch(functorch, found);
    const auto inductor = ConfigJson::parse(metrics.inductorConfig, nullptr, false);
    if (inductor.is_object()) {
        for (const auto& [name, value] : inductor.items()) {
            addInductor(std::string(inductorPrefix) + name, configText(value), isInductors, found);
        }
    }
    return functorch.is_object();
}

bool isOn(const LoggedConfig& config, std::string_view name) {
    const auto option = config.options.find(std::string(name));
    return option != config.options.end() && option->second == "True";
}

/// Inductor's runnable graph begins with the options that differ from their defaults, including arguments of
/// `torch.compile` that no other record has: `torch._inductor.config.fallback_random = True`.
void addRunnable(const std::string& program, LoggedConfig& found) {
    std::string_view rest = std::string_view(program).substr(0, program.find("\nclass "));
    while (!rest.empty()) {
        const std::string_view line = base::takePart(rest, '\n');
        const std::size_t equals = line.find(" = ");
        if (line.starts_with(inductorPrefix) && equals != std::string_view::npos) {
            addInductor(std::string(line.substr(0, equals)), std::string(line.substr(equals + 3)), true,
                        found);
        }
    }
}

/// Whether AOTAutograd's configuration is Inductor's. Only Inductor removes effect tokens from its graphs,
/// and `aot_eager_decomp_partition`, which imitates Inductor and uses its decompositions.
bool isInductorsConfig(std::string_view config) {
    return config.find("\"unlift_effect_tokens\": true") != std::string_view::npos;
}

/// What is read of a log, in the order in which later ones go before earlier ones.
class ConfigReader {
public:
    /// `source`: a log, or what a re-trace may use of it.
    template<typename Source>
    void read(const Source& source, load::RecordId record) {
        const std::string artifact = source.artifactName(record);
        m_isInductors = m_isInductors || isInductorsRecord(source.kindName(record), artifact);
        if (source.kind(record) == load::RecordKind::CompilationMetrics && m_metrics.empty()) {
            m_metrics = source.envelope(record);
        } else if (artifact == functorchArtifact && !m_found.isLogged) {
            const auto config = ConfigJson::parse(source.payload(record), nullptr, false);
            m_found.isLogged = config.is_object();
            addFunctorch(config, m_found);
        } else if (artifact == runnableArtifact && m_runnable.empty()) {
            m_runnable = source.payload(record);
        }
    }
    LoggedConfig take() {
        if (!m_metrics.empty()) {
            m_isProcessTold = addMetrics(m_metrics, m_isInductors, m_found);
        }
        if (m_isInductors) {
            m_found.ofBackend.insert(std::string(unlifting));
            if (!m_found.isLogged) {
                m_found.options.try_emplace(std::string(unlifting), "True");
            }
        } else if (!m_isProcessTold && isOn(m_found, unlifting)) {
            m_found.untold.insert(std::string(unlifting));
        }
        addRunnable(m_runnable, m_found);
        return std::move(m_found);
    }

private:
    LoggedConfig m_found;
    std::string m_metrics;
    std::string m_runnable;
    bool m_isInductors = false;
    /// The metrics have the process's own options, as since torch 2.15.
    bool m_isProcessTold = false;
};

} // namespace

base::Result<aot::FunctorchConfig> LoggedConfig::under(aot::TorchVersion release, aot::TorchVersion rules,
                                                       std::span<const aot::ConfigSetting> chosen) const {
    aot::FunctorchConfig config = aot::defaultConfig(rules);
    for (const auto& [name, text] : options) {
        aot::FunctorchConfig logged = aot::defaultConfig(release);
        const aot::ConfigOption* option = aot::tryConfigOption(name);
        if (option == nullptr || !aot::setOption(logged, name, text)) {
            config.unknown.emplace(name, text);
        } else if (!aot::isDefault(logged, *option, release)) {
            static_cast<void>(aot::setOption(config, name, text));
        }
    }
    config.ofBackend = ofBackend;
    config.assumed = untold;
    if (isLogged && !options.contains(std::string(customPass))) {
        config.assumed.emplace(customPass);
    }
    for (const std::string_view name : notRecorded) {
        if (!options.contains(std::string(name))) {
            config.assumed.emplace(name);
        }
    }
    return aot::withSettings(std::move(config), chosen);
}

bool isInductorsRecord(std::string_view kind, std::string_view artifact) {
    return kind.starts_with("inductor_") || artifact.starts_with("inductor_") ||
           artifact.starts_with("fx_graph_cache_") || artifact == "before_pre_grad_graph" ||
           artifact == runnableArtifact;
}

bool isUnliftingOfProcess(const LogEvidence& evidence) {
    for (const load::RecordId record : evidence.after()) {
        if (evidence.kind(record) == load::RecordKind::CompilationMetrics) {
            LoggedConfig ofProcess;
            std::ignore = addMetrics(evidence.envelope(record), false, ofProcess);
            return isOn(ofProcess, unlifting);
        }
    }
    return false;
}

LoggedConfig loggedConfig(const LogEvidence& evidence) {
    ConfigReader reader;
    for (const load::RecordId record : evidence.after()) {
        reader.read(evidence, record);
    }
    return reader.take();
}

LoggedConfig loggedConfig(const load::TraceLogPtr& log, load::CompileIndex compile, load::RecordId graph) {
    ConfigReader reader;
    const std::vector<load::RecordId>& all = log->compile(compile).records;
    for (auto record = std::ranges::find(all, graph); record != all.end(); ++record) {
        if (log->kind(*record) == load::RecordKind::DynamoOutputGraph && *record != graph) {
            break;
        }
        reader.read(*log, *record);
    }
    return reader.take();
}

LoggedBackend loggedBackend(const LogEvidence& evidence) {
    const bool isOwnChoice = isUnliftingOfProcess(evidence);
    const bool isUntold = loggedConfig(evidence).untold.contains(std::string(unlifting));
    LoggedBackend backend;
    for (const load::RecordId record : evidence.after()) {
        const std::string name = evidence.artifactName(record);
        if (isInductorsRecord(evidence.kindName(record), name)) {
            return {
                .isInductor = true, .table = aot::DecompositionTable::Inductor, .rewritesJointGraph = true};
        }
        if (!isOwnChoice && name == functorchArtifact && isInductorsConfig(evidence.payload(record))) {
            backend = {.isInductor = true,
                       .isAssumed = isUntold,
                       .table = aot::DecompositionTable::Inductor,
                       .keepsInputMutations = false};
        }
    }
    return backend;
}

} // namespace aotscope::evidence
