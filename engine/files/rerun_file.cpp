#include "files/rerun_file.h"

#include "contract/run_fields_json.h"

#include "aot/fields_json.h"
#include "aot/tensor_data_json.h"

#include <utility>

namespace aotscope::session {

namespace {

using OrderedJson = nlohmann::ordered_json;
using aot::detail::addMissing;
using aot::detail::JsonContext;
using aot::detail::moveMember;

constexpr std::string_view firstRerunSchema = "aotscope.rerun/1";
constexpr std::string_view secondRerunSchema = "aotscope.rerun/2";

base::Error notARerun(std::string note) {
    return {.code = "rerun.file_schema",
            .message = "The file is not a rerun that this program knows.",
            .notes = {std::move(note)},
            .hint = "Such a file is written by aotscope-cli rerun --save; it is JSON with \"schema\": \"" +
                    std::string(rerunSchema) + "\"."};
}

/// Makes of a file of versions 1 and 2 one of today: the members of `result` were beside it, and those of a
/// tensor's summary in the value, as its data were. Version 1 left out settings that are as in the run.
void upgradeRerun(OrderedJson& json) {
    JsonContext context;
    if (json.contains("settings")) {
        moveMember(json["settings"], "twist", json["settings"], "changes");
        addMissing(json["settings"], toJson(RerunSettings(), context));
    }
    OrderedJson none;
    OrderedJson result = toJson(RerunResult(), context);
    for (const auto& [before, now] : {std::pair("nodes", "nodes"),
                                      {"samples", "samples"},
                                      {"overhead", "overhead_nanoseconds"},
                                      {"clock", "clock"},
                                      {"device", "device"},
                                      {"backend", "backend"},
                                      {"seed", "seed"},
                                      {"outputs", "outputs"}}) {
        result.erase(now);
        moveMember(json, before, result, now);
    }
    for (OrderedJson& output : result.contains("outputs") ? result["outputs"] : none) {
        OrderedJson value = toJson(RerunValue(), context);
        for (const char* name : {"node", "output"}) {
            value.erase(name);
            moveMember(output, name, value, name);
        }
        for (const char* name : {"dtype", "shape"}) {
            value["summary"].erase(name);
            moveMember(output, name, value["summary"], name);
        }
        const bool hasData = output.is_object() && output.contains("data") && !output["data"].is_null();
        result["output_data"].push_back(hasData ? output["data"] : toJson(aot::TensorData(), context));
        output = std::move(value);
    }
    json["result"] = std::move(result);
}

} // namespace

std::string rerunToJson(const SavedRerun& saved) {
    JsonContext context{.forText = true};
    OrderedJson json{{"schema", rerunSchema}};
    json.update(toJson(RerunDocument{saved, rerunTimes(saved.result.samples), saved.result.bytesPerSecond(),
                                     saved.result.flopsPerSecond()},
                       context));
    return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

base::Result<SavedRerun> rerunFromJson(std::string_view text) {
    OrderedJson json = OrderedJson::parse(text, nullptr, false);
    if (json.is_discarded()) {
        return base::Error{.code = "rerun.file_syntax",
                           .message = "The file is not a rerun: it is not JSON.",
                           .hint = "Such a file is written by aotscope-cli rerun --save."};
    }
    const std::string schema =
        json.is_object() && json.contains("schema") && json["schema"].is_string() ? json["schema"] : "";
    if (schema == firstRerunSchema || schema == secondRerunSchema) {
        upgradeRerun(json);
    } else if (schema != rerunSchema) {
        return notARerun(schema.empty() ? "It names no schema." : "Its schema is \"" + schema + "\".");
    }
    SavedRerun saved;
    JsonContext context;
    fromJson(json, saved, context);
    if (!context.wrong.empty()) {
        return notARerun(context.wrong + ".");
    }
    return saved;
}

} // namespace aotscope::session
