#include "evidence/logged_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

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

/// Options that hold for any backend; Inductor's others only for a compile by Inductor.
constexpr std::array<std::string_view, 1> forAllBackends = {
    "torch._inductor.config.enable_auto_functionalized_v2"};

std::string configText(const ConfigJson& value) {
    if (value.is_boolean()) {
        return value.get<bool>() ? "True" : "False";
    }
    if (value.is_null()) {
        return "None";
    }
    return value.is_string() ? value.get<std::string>() : value.dump();
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
void addMetrics(const std::string& envelope, bool isInductors, LoggedConfig& found) {
    const auto json = ConfigJson::parse(envelope, nullptr, false);
    const auto metrics = json.is_object() ? json.find("compilation_metrics") : json.end();
    if (metrics == json.end() || !metrics->is_object()) {
        return;
    }
    const auto parsed = [&](const char* key) {
        const auto text = metrics->find(key);
        return text != metrics->end() && text->is_string()
                   ? ConfigJson::parse(text->get_ref<const std::string&>(), nullptr, false)
                   : ConfigJson();
    };
    addFunctorch(parsed("functorch_config"), found);
    const ConfigJson inductor = parsed("inductor_config");
    if (inductor.is_object()) {
        for (const auto& [name, value] : inductor.items()) {
            addInductor(std::string(inductorPrefix) + name, configText(value), isInductors, found);
        }
    }
}

/// Inductor's runnable graph begins with the options that differ from their defaults, also those given to
/// `torch.compile` alone: `torch._inductor.config.fallback_random = True`.
void addRunnable(const std::string& program, LoggedConfig& found) {
    std::string_view rest = std::string_view(program).substr(0, program.find("\nclass "));
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = rest.substr(0, end);
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
        const std::size_t equals = line.find(" = ");
        if (line.starts_with(inductorPrefix) && equals != std::string_view::npos) {
            addInductor(std::string(line.substr(0, equals)), std::string(line.substr(equals + 3)), true,
                        found);
        }
    }
}

/// What is read of a log, in the order in which later ones go before earlier ones.
class ConfigReader {
public:
    void artifact(std::string_view name, const std::function<std::string()>& payload) {
        if (name == functorchArtifact && !m_found.isLogged) {
            const auto config = ConfigJson::parse(payload(), nullptr, false);
            m_found.isLogged = config.is_object();
            addFunctorch(config, m_found);
        } else if (name == runnableArtifact && m_runnable.empty()) {
            m_runnable = payload();
        }
        m_isInductors = m_isInductors || name.starts_with("inductor_") || name == runnableArtifact;
    }
    void metrics(std::string envelope) {
        if (m_metrics.empty()) {
            m_metrics = std::move(envelope);
        }
    }
    LoggedConfig take() {
        if (!m_metrics.empty()) {
            addMetrics(m_metrics, m_isInductors, m_found);
        }
        if (m_isInductors) {
            m_found.ofBackend.insert(std::string(unlifting));
        }
        addRunnable(m_runnable, m_found);
        return std::move(m_found);
    }

private:
    LoggedConfig m_found;
    std::string m_metrics;
    std::string m_runnable;
    bool m_isInductors = false;
};

} // namespace

base::Result<aot::FunctorchConfig> LoggedConfig::under(aot::TorchVersion made, aot::TorchVersion rules,
                                                       std::span<const aot::ConfigSetting> chosen) const {
    aot::FunctorchConfig config = aot::defaultConfig(rules);
    for (const auto& [name, text] : options) {
        aot::FunctorchConfig logged = aot::defaultConfig(made);
        const aot::ConfigOption* option = aot::tryConfigOption(name);
        if (option == nullptr || !aot::setOption(logged, name, text)) {
            config.unknown.emplace(name, text);
        } else if (!aot::isDefault(logged, *option, made)) {
            static_cast<void>(aot::setOption(config, name, text));
        }
    }
    config.ofBackend = ofBackend;
    for (const std::string_view name : notRecorded) {
        if (!options.contains(std::string(name))) {
            config.assumed.emplace(name);
        }
    }
    return aot::withSettings(std::move(config), chosen);
}

bool removesTokensItself(const LogEvidence& evidence) {
    for (const load::RecordId record : evidence.after()) {
        if (evidence.kind(record) == load::RecordKind::CompilationMetrics) {
            LoggedConfig ofProcess;
            addMetrics(evidence.envelope(record), false, ofProcess);
            const auto option = ofProcess.options.find(std::string(unlifting));
            return option != ofProcess.options.end() && option->second == "True";
        }
    }
    return false;
}

LoggedConfig loggedConfig(const LogEvidence& evidence) {
    ConfigReader reader;
    for (const load::RecordId record : evidence.after()) {
        if (evidence.kind(record) == load::RecordKind::CompilationMetrics) {
            reader.metrics(evidence.envelope(record));
        } else if (evidence.kind(record) == load::RecordKind::Artifact) {
            reader.artifact(evidence.artifactName(record), [&] { return evidence.payload(record); });
        }
    }
    return reader.take();
}

LoggedConfig loggedConfig(const load::TraceLogPtr& log, load::CompileIndex compile, load::RecordId graph) {
    ConfigReader reader;
    const std::vector<load::RecordId>& all = log->compile(compile).records;
    for (auto record = std::ranges::find(all, graph); record != all.end(); ++record) {
        const load::RecordKind kind = log->kind(*record);
        if (kind == load::RecordKind::DynamoOutputGraph && *record != graph) {
            break;
        }
        if (kind == load::RecordKind::CompilationMetrics) {
            reader.metrics(log->envelope(*record));
        } else if (kind == load::RecordKind::Artifact) {
            reader.artifact(log->artifactName(*record), [&] { return log->payload(*record); });
        }
    }
    return reader.take();
}

} // namespace aotscope::evidence
