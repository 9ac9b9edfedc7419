#include "inductor/provenance.h"

#include "base/numbers.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace aotscope::inductor {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t maxProvenanceBytes = 64U << 20U;

base::Result<Json> parsed(std::string_view text) {
    Json json =
        text.size() > maxProvenanceBytes ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return base::Error{"inductor.provenance",
                           "The record of kernels and nodes is not a JSON object.",
                           {},
                           {},
                           "Kernels are linked by the comments in the code instead."};
    }
    return json;
}

std::vector<std::string> texts(const Json& list) {
    std::vector<std::string> out;
    if (list.is_array()) {
        for (const Json& item : list) {
            if (item.is_string()) {
                out.push_back(item.get<std::string>());
            }
        }
    }
    return out;
}

/// "extern_kernels.mm:5" as name and handle. Names themselves have no single colon.
std::pair<std::string, std::int64_t> keyParts(const std::string& key) {
    const std::size_t colon = key.rfind(':');
    if (colon != std::string::npos && colon > 0 && key[colon - 1] != ':') {
        if (const auto handle = base::wholeNumber<std::int64_t>(std::string_view(key).substr(colon + 1))) {
            return {key.substr(0, colon), *handle};
        }
    }
    return {key, 0};
}

template<typename Entry>
const Entry* find(const std::vector<Entry>& entries, std::string_view kernel, std::int64_t handle) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) {
        return entry.kernel == kernel && (entry.handle == handle || entry.handle == 0);
    });
    return found == entries.end() ? nullptr : &*found;
}

} // namespace

const Provenance::KernelNodes* Provenance::tryNodes(std::string_view kernel, std::int64_t handle) const {
    return find(kernels, kernel, handle);
}

const Provenance::KernelStacks* Provenance::tryStacks(std::string_view kernel, std::int64_t handle) const {
    return find(stacks, kernel, handle);
}

base::Result<void> addNodeMappings(std::string_view json, Provenance& provenance) {
    AOTSCOPE_TRY(root, parsed(json));
    if (const auto version = root.find("version"); version != root.end() && version->is_number()) {
        provenance.version = version->get<double>();
    }
    if (const auto kernels = root.find("cppCodeToPost"); kernels != root.end() && kernels->is_object()) {
        for (const auto& [key, nodes] : kernels->items()) {
            auto [kernel, handle] = keyParts(key);
            provenance.kernels.push_back({std::move(kernel), handle, texts(nodes)});
        }
    }
    return {};
}

base::Result<void> addStackTraces(std::string_view json, Provenance& provenance) {
    AOTSCOPE_TRY(root, parsed(json));
    for (const auto& [key, stacks] : root.items()) {
        auto [kernel, handle] = keyParts(key);
        provenance.stacks.push_back({std::move(kernel), handle, texts(stacks)});
    }
    return {};
}

} // namespace aotscope::inductor
