#include "aot/backward_autocast.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace aotscope::aot {
namespace {

using AutocastJson = nlohmann::json;

/// A list of Python as JSON: other quotes, and other words for the constants.
std::string asJson(std::string_view text) {
    std::string json(text);
    for (char& c : json) {
        c = c == '\'' ? '"' : c;
    }
    constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"True", "true"}, {"False", "false"}, {"None", "null"}};
    for (const auto& [python, word] : words) {
        for (std::size_t at = json.find(python); at != std::string::npos; at = json.find(python, at)) {
            json.replace(at, python.size(), word);
        }
    }
    return json;
}

std::optional<BackwardAutocast> autocastFrom(const AutocastJson& json) {
    BackwardAutocast autocast;
    if (!json.is_object() || !json.contains("device_type")) {
        return std::nullopt;
    }
    for (const auto& [name, value] : json.items()) {
        if (name == "device_type" && value.is_string()) {
            autocast.device = value.get<std::string>();
        } else if (name == "dtype" && value.is_string()) {
            std::string_view dtype = value.get_ref<const std::string&>();
            constexpr std::string_view module = "torch.";
            dtype.remove_prefix(dtype.starts_with(module) ? module.size() : 0);
            autocast.dtype = ir::dtypeFromName(dtype);
            if (!autocast.dtype) {
                return std::nullopt;
            }
        } else if (name == "enabled" && value.is_boolean()) {
            autocast.enabled = value.get<bool>();
        } else if (name == "cache_enabled" && value.is_boolean()) {
            autocast.cacheEnabled = value.get<bool>();
        } else if (!value.is_null()) {
            return std::nullopt;
        }
    }
    return autocast;
}

} // namespace

std::optional<BackwardAutocasts> backwardAutocastsFrom(std::string_view text) {
    if (text == "same_as_forward") {
        return BackwardAutocasts{};
    }
    BackwardAutocasts autocasts{.isSameAsForward = false};
    if (text == "off") {
        return autocasts;
    }
    const auto json = AutocastJson::parse(asJson(text), nullptr, false);
    if (!json.is_array()) {
        return std::nullopt;
    }
    for (const AutocastJson& item : json) {
        auto autocast = autocastFrom(item);
        if (!autocast) {
            return std::nullopt;
        }
        autocasts.entered.push_back(*std::move(autocast));
    }
    return autocasts;
}

} // namespace aotscope::aot
