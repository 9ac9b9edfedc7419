#include "session/rerun_settings_json.h"

namespace aotscope::session {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson changesToJson(const RerunChanges& changes) {
    OrderedJson json = OrderedJson::object();
    if (changes.dtype) {
        json["dtype"] = ir::dtypeName(*changes.dtype);
    }
    for (const auto& [symbol, value] : changes.symbols) {
        json["symbols"][symbol] = value;
    }
    for (const auto& [input, sizes] : changes.sizes) {
        json["sizes"][input] = sizes;
    }
    if (changes.device) {
        json["device"] = *changes.device;
    }
    if (changes.deterministic) {
        json["deterministic"] = *changes.deterministic;
    }
    return json;
}

RerunChanges changesFromJson(const OrderedJson& json) {
    RerunChanges changes;
    changes.dtype = ir::dtypeFromName(json.value("dtype", ""));
    const OrderedJson symbols = json.value("symbols", OrderedJson::object());
    for (const auto& [symbol, value] : symbols.items()) {
        changes.symbols[symbol] = value.get<std::int64_t>();
    }
    const OrderedJson sizes = json.value("sizes", OrderedJson::object());
    for (const auto& [input, value] : sizes.items()) {
        changes.sizes[input] = value.get<std::vector<std::int64_t>>();
    }
    if (json.contains("device")) {
        changes.device = json["device"].get<std::string>();
    }
    if (json.contains("deterministic")) {
        changes.deterministic = json["deterministic"].get<bool>();
    }
    return changes;
}

} // namespace

OrderedJson settingsToJson(const RerunSettings& settings) {
    return {{"repetitions", settings.repetitions},
            {"warm_up", settings.warmUp},
            {"cold_cache", settings.coldCache},
            {"twist", changesToJson(settings.changes)}};
}

RerunSettings settingsFromJson(const OrderedJson& json) {
    RerunSettings settings;
    settings.repetitions = json.value("repetitions", settings.repetitions);
    settings.warmUp = json.value("warm_up", settings.warmUp);
    settings.coldCache = json.value("cold_cache", settings.coldCache);
    settings.changes = changesFromJson(json.value("twist", OrderedJson::object()));
    return settings;
}

} // namespace aotscope::session
