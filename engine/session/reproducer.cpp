#include "session/reproducer.h"

#include "session/rerun_settings_json.h"
#include "session/tensor_json.h"

#include "aot/global_state_json.h"
#include "ir/json/graph_json.h"

#include "base/log.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace aotscope::session {

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::string_view schemaName = "aotscope.reproducer/1";
constexpr std::size_t mostEmbeddedBytes = std::size_t(64) << 20;
constexpr std::string_view fileSuffix = ".reproducer.json";

OrderedJson errorToJson(const base::Error& error) {
    OrderedJson json{{"code", error.code}, {"message", error.message}};
    if (!error.place.node.empty()) {
        json["node"] = error.place.node;
    }
    json["notes"] = error.notes;
    json["hint"] = error.hint;
    return json;
}

base::Error errorFromJson(const OrderedJson& json) {
    base::Error error;
    error.code = json.value("code", "");
    error.message = json.value("message", "");
    error.place.node = json.value("node", "");
    error.notes = json.value("notes", std::vector<std::string>());
    error.hint = json.value("hint", "");
    return error;
}

OrderedJson inputsToJson(const RunOptions& options, std::vector<std::string>& leftOut) {
    OrderedJson inputs = OrderedJson::object();
    std::size_t embedded = 0;
    for (const auto& [name, tensor] : options.inputs) {
        if (embedded + tensor.bytes.size() > mostEmbeddedBytes) {
            leftOut.push_back(name);
            continue;
        }
        embedded += tensor.bytes.size();
        inputs[name] = tensorToJson(tensor);
    }
    return inputs;
}

RunOptions optionsFromJson(const OrderedJson& json) {
    RunOptions options;
    options.seed = json.value("seed", std::uint64_t(0));
    if (const auto device = deviceChoiceFromText(json.value("device", "cpu"))) {
        options.device = *device;
    }
    options.statistics = json.value("statistics", true);
    options.keepOutputs = json.value("keep_outputs", false);
    if (const auto state = json.find("state"); state != json.end()) {
        if (auto read = aot::globalStateFromJson(state->dump())) {
            options.state = std::move(read).value();
        }
    }
    const OrderedJson symbols = json.value("symbols", OrderedJson::object());
    for (const auto& [symbol, value] : symbols.items()) {
        options.symbols[symbol] = value.get<std::int64_t>();
    }
    const OrderedJson inputs = json.value("inputs", OrderedJson::object());
    for (const auto& [name, tensor] : inputs.items()) {
        if (auto data = tensorFromJson(tensor)) {
            options.inputs[name] = std::move(data).value();
        }
    }
    return options;
}

base::Error schemaError(std::string note) {
    return {.code = "session.reproducer_schema",
            .message = "The file is not a reproducer this program knows.",
            .notes = {std::move(note)},
            .hint = "A reproducer is JSON with \"schema\": \"" + std::string(schemaName) + "\"."};
}

base::Error syntaxError(const std::string& where) {
    return {.code = "session.reproducer_syntax",
            .message = "The file is not a reproducer: it is not JSON" + where + ".",
            .hint = "A failed run names its reproducer file."};
}

void removeOldest(const std::filesystem::path& folder, std::size_t mostFiles) {
    using Entry = std::pair<std::filesystem::file_time_type, std::filesystem::path>;
    std::vector<Entry> entries;
    std::error_code failed;
    for (std::filesystem::directory_iterator it(folder, failed), end; !failed && it != end;
         it.increment(failed)) {
        if (it->path().filename().string().ends_with(fileSuffix)) {
            std::error_code unknown;
            entries.emplace_back(it->last_write_time(unknown), it->path());
        }
    }
    if (entries.size() <= mostFiles) {
        return;
    }
    std::ranges::sort(entries);
    entries.resize(entries.size() - mostFiles);
    for (const auto& [time, path] : entries) {
        std::filesystem::remove(path, failed);
    }
}

bool writeWhole(const std::filesystem::path& path, std::string_view text) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    return bool(out);
}

/// Creates an empty file with an unused name; returns an empty path on failure.
std::filesystem::path makeFile(const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    std::string name = (folder / "run-XXXXXX").string() + std::string(fileSuffix);
    const int file = ::mkstemps(name.data(), static_cast<int>(fileSuffix.size()));
    if (file < 0) {
        return {};
    }
    ::close(file);
    return name;
}

} // namespace

std::filesystem::path defaultReproducerFolder() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::filesystem::path(value ? value : "");
    };
    std::filesystem::path state = variable("XDG_STATE_HOME");
    if (!state.is_absolute() && variable("HOME").is_absolute()) {
        state = variable("HOME") / ".local" / "state";
    }
    if (!state.is_absolute()) {
        std::error_code failed;
        state = std::filesystem::temp_directory_path(failed);
    }
    return state / "aotscope" / "reproducers";
}

std::string reproducerToJson(const Reproducer& reproducer) {
    std::vector<std::string> leftOut;
    OrderedJson options{{"seed", reproducer.options.seed},
                        {"device", reproducer.options.device.text()},
                        {"statistics", reproducer.options.statistics},
                        {"keep_outputs", reproducer.options.keepOutputs},
                        {"symbols", OrderedJson::object()}};
    for (const auto& [symbol, value] : reproducer.options.symbols) {
        options["symbols"][symbol] = value;
    }
    if (reproducer.options.state != aot::GlobalState()) {
        options["state"] = OrderedJson::parse(aot::globalStateToJson(reproducer.options.state));
    }
    options["inputs"] = inputsToJson(reproducer.options, leftOut);
    if (!leftOut.empty()) {
        options["inputs_left_out"] = leftOut;
    }
    OrderedJson json{{"schema", schemaName}, {"command", reproducer.command}, {"origin", reproducer.origin}};
    json["error"] = reproducer.error ? errorToJson(*reproducer.error) : OrderedJson(nullptr);
    json["options"] = std::move(options);
    if (reproducer.rerun) {
        json["rerun"] = settingsToJson(reproducer.rerun->settings);
        json["rerun"]["nodes"] = reproducer.rerun->nodes;
        if (reproducer.rerun->kernel) {
            json["rerun"]["kernel"] = reproducer.rerun->kernel->source;
        }
    }
    // ir::graphToJson writes the graph, because it puts each node on a line.
    std::string text = json.dump(2, ' ', false, OrderedJson::error_handler_t::replace);
    text.erase(text.rfind('}'));
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    return text + ",\n  \"graph\": " + ir::graphToJson(*reproducer.graph) + "\n}\n";
}

base::Result<Reproducer> reproducerFromJson(std::string_view text) {
    OrderedJson json;
    try {
        json = OrderedJson::parse(text);
    } catch (const OrderedJson::parse_error& error) {
        return syntaxError(" from byte " + std::to_string(error.byte) + " on");
    } catch (const OrderedJson::out_of_range&) {
        return syntaxError(", because a number in it does not fit into a double");
    }
    try {
        const std::string schema = json.is_object() ? json.value("schema", "") : "";
        if (schema != schemaName) {
            return schemaError(schema.empty() ? "It names no schema." : "Its schema is \"" + schema + "\".");
        }
        Reproducer reproducer;
        reproducer.command = json.value("command", "");
        reproducer.origin = json.value("origin", "");
        reproducer.options = optionsFromJson(json.value("options", OrderedJson::object()));
        if (const auto error = json.find("error"); error != json.end() && error->is_object()) {
            reproducer.error = errorFromJson(*error);
        }
        if (const auto rerun = json.find("rerun"); rerun != json.end()) {
            reproducer.rerun = {rerun->value("nodes", std::vector<std::string>()), settingsFromJson(*rerun)};
            if (rerun->contains("kernel")) {
                reproducer.rerun->kernel = RerunKernel{rerun->at("kernel").get<std::string>()};
            }
        }
        auto graph = ir::graphFromJson(json.at("graph").dump());
        if (!graph) {
            return std::move(graph).error();
        }
        reproducer.graph = std::move(graph).value();
        return reproducer;
    } catch (const OrderedJson::exception& error) {
        return schemaError(error.what());
    }
}

ReproducerFile::ReproducerFile(const std::filesystem::path& folder, const Reproducer& reproducer,
                               std::size_t mostFiles) {
    if (folder.empty()) {
        return;
    }
    m_path = makeFile(folder);
    if (m_path.empty() || !writeWhole(m_path, reproducerToJson(reproducer))) {
        base::logWarning("aotscope.session", "cannot write a reproducer in " + folder.string());
        remove();
        return;
    }
    removeOldest(folder, mostFiles);
}

void ReproducerFile::keep(Reproducer reproducer, const base::Error& error) {
    if (m_path.empty()) {
        return;
    }
    reproducer.error = error;
    if (!writeWhole(m_path, reproducerToJson(reproducer))) {
        base::logWarning("aotscope.session", "cannot write " + m_path.string());
    }
}

void ReproducerFile::remove() {
    if (!m_path.empty()) {
        std::error_code failed;
        std::filesystem::remove(m_path, failed);
        m_path.clear();
    }
}

void noteReproducer(base::Error& error, const ReproducerFile& file) {
    if (!file.path().empty()) {
        error.notes.push_back("To run this again: aotscope-cli replay " + file.path().string());
    }
}

} // namespace aotscope::session
