#include "session/rerun_settings_json.h"

namespace aotscope::session {

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson twistToJson(const RerunTwist& twist) {
    OrderedJson json = OrderedJson::object();
    if (twist.dtype) {
        json["dtype"] = ir::dtypeName(*twist.dtype);
    }
    for (const auto& [symbol, value] : twist.symbols) {
        json["symbols"][symbol] = value;
    }
    for (const auto& [input, sizes] : twist.sizes) {
        json["sizes"][input] = sizes;
    }
    if (twist.device) {
        json["device"] = *twist.device;
    }
    if (twist.deterministic) {
        json["deterministic"] = *twist.deterministic;
    }
    return json;
}

RerunTwist twistFromJson(const OrderedJson& json) {
    RerunTwist twist;
    twist.dtype = ir::dtypeFromName(json.value("dtype", ""));
    const OrderedJson symbols = json.value("symbols", OrderedJson::object());
    for (const auto& [symbol, value] : symbols.items()) {
        twist.symbols[symbol] = value.get<std::int64_t>();
    }
    const OrderedJson sizes = json.value("sizes", OrderedJson::object());
    for (const auto& [input, value] : sizes.items()) {
        twist.sizes[input] = value.get<std::vector<std::int64_t>>();
    }
    if (json.contains("device")) {
        twist.device = json["device"].get<std::string>();
    }
    if (json.contains("deterministic")) {
        twist.deterministic = json["deterministic"].get<bool>();
    }
    return twist;
}

} // namespace

OrderedJson settingsToJson(const RerunSettings& settings) {
    return {{"repetitions", settings.repetitions},
            {"warm_up", settings.warmUp},
            {"cold_cache", settings.coldCache},
            {"twist", twistToJson(settings.twist)}};
}

RerunSettings settingsFromJson(const OrderedJson& json) {
    RerunSettings settings;
    settings.repetitions = json.value("repetitions", settings.repetitions);
    settings.warmUp = json.value("warm_up", settings.warmUp);
    settings.coldCache = json.value("cold_cache", settings.coldCache);
    settings.twist = twistFromJson(json.value("twist", OrderedJson::object()));
    return settings;
}

} // namespace aotscope::session
