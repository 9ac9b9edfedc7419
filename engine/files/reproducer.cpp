#include "files/reproducer.h"

#include "contract/run_fields_json.h"

#include "aot/fields_json.h"
#include "ir/json/graph_json.h"

#include "base/log.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <type_traits>
#include <utility>
#include <vector>

namespace aotscope::aot::detail {

/// All members but the graph.
template<>
struct Fields<session::Reproducer> {
    static void visit(auto& field, auto& reproducer) {
        base::visitMembers(reproducer, [&]<typename T>(const char* name, T& member) {
            if constexpr (!std::is_same_v<std::remove_const_t<T>, ir::GraphPtr>) {
                field(name, member);
            }
        });
    }
};

} // namespace aotscope::aot::detail

namespace aotscope::session {

namespace {

using OrderedJson = nlohmann::ordered_json;
using aot::detail::addMissing;
using aot::detail::JsonContext;
using aot::detail::moveMember;

constexpr std::string_view firstReproducerSchema = "aotscope.reproducer/1";
constexpr std::string_view secondReproducerSchema = "aotscope.reproducer/2";
constexpr std::size_t mostEmbeddedBytes = std::size_t(64) << 20;
constexpr std::string_view fileSuffix = ".reproducer.json";

/// Null if there is none.
OrderedJson* memberOf(OrderedJson& json, const char* name) {
    return json.is_object() && json.contains(name) ? &json[name] : nullptr;
}

/// Makes of a file of versions 1 and 2 one of today: the settings of a rerun were beside it. In version 1
/// some members were elsewhere, and those that it did not have are as by default.
void upgradeReproducer(OrderedJson& json) {
    JsonContext context;
    if (OrderedJson* rerun = memberOf(json, "rerun"); rerun != nullptr && rerun->is_object()) {
        OrderedJson settings = OrderedJson::object();
        moveMember(*rerun, "twist", settings, "changes");
        for (const char* name : {"repetitions", "warm_up", "cold_cache"}) {
            moveMember(*rerun, name, settings, name);
        }
        (*rerun)["settings"] = std::move(settings);
    }
    if (json["schema"] == secondReproducerSchema) {
        return;
    }
    if (OrderedJson* options = memberOf(json, "options")) {
        moveMember(*options, "inputs_left_out", json, "inputs_left_out");
    }
    if (OrderedJson* error = memberOf(json, "error"); error != nullptr && error->is_object()) {
        OrderedJson place = OrderedJson::object();
        moveMember(*error, "node", place, "node");
        (*error)["place"] = std::move(place);
        addMissing(*error, toJson(base::Error(), context));
    }
    if (OrderedJson* rerun = memberOf(json, "rerun")) {
        if (OrderedJson* kernel = memberOf(*rerun, "kernel")) {
            *kernel = OrderedJson{{"source", OrderedJson(*kernel)}};
        }
        addMissing(*rerun, toJson(RerunChoice(), context));
    }
    addMissing(json, toJson(Reproducer(), context));
}

/// Moves the names of those inputs that a file has no room for to the others that were left out.
void leaveOutLarge(Reproducer& reproducer) {
    std::size_t embedded = 0;
    std::erase_if(reproducer.options.inputs, [&](const auto& input) {
        const std::size_t bytes = input.second.bytes.size();
        if (embedded + bytes > mostEmbeddedBytes) {
            reproducer.inputsLeftOut.push_back(input.first);
            return true;
        }
        embedded += bytes;
        return false;
    });
}

base::Error schemaError(std::string note) {
    return {.code = "session.reproducer_schema",
            .message = "The file is not a reproducer that this program can read.",
            .notes = {std::move(note)},
            .hint = "A reproducer is JSON with \"schema\": \"" + std::string(reproducerSchema) + "\"."};
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
    JsonContext context{.forText = true};
    OrderedJson json{{"schema", reproducerSchema}};
    json.update(toJson(reproducer, context));
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
        if (schema == firstReproducerSchema || schema == secondReproducerSchema) {
            upgradeReproducer(json);
        } else if (schema != reproducerSchema) {
            return schemaError(schema.empty() ? "It names no schema." : "Its schema is \"" + schema + "\".");
        }
        AOTSCOPE_TRY(graph, ir::graphFromJson(json.at("graph").dump()));
        json.erase("schema");
        json.erase("graph");
        Reproducer reproducer;
        JsonContext context{.refusesUnknown = true};
        fromJson(json, reproducer, context);
        if (!context.wrong.empty()) {
            return schemaError(context.wrong + ".");
        }
        reproducer.graph = std::move(graph);
        return reproducer;
    } catch (const OrderedJson::exception& error) {
        return schemaError(error.what());
    }
}

ReproducerFile::ReproducerFile(const std::filesystem::path& folder, Reproducer reproducer,
                               std::size_t mostFiles) {
    if (folder.empty()) {
        return;
    }
    m_reproducer = std::move(reproducer);
    leaveOutLarge(m_reproducer);
    m_path = makeFile(folder);
    if (m_path.empty() || !writeWhole(m_path, reproducerToJson(m_reproducer))) {
        base::logWarning("aotscope.session", "cannot write a reproducer in " + folder.string());
        remove();
        return;
    }
    removeOldest(folder, mostFiles);
}

void ReproducerFile::keep(const base::Error& error) {
    if (m_path.empty()) {
        return;
    }
    m_reproducer.error = error;
    if (!writeWhole(m_path, reproducerToJson(m_reproducer))) {
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
