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
        return base::Error{.code = "inductor.provenance",
                           .message = "The record of kernels and nodes is not a JSON object.",
                           .hint = "Kernels are linked by the comments in the code instead."};
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

/// An entry for each member of an object.
void addEntries(const Json& object, std::vector<Provenance::Entry>& entries) {
    for (const auto& [key, list] : object.items()) {
        auto [kernel, handle] = keyParts(key);
        entries.push_back({std::move(kernel), handle, texts(list)});
    }
}

} // namespace

const Provenance::Entry* Provenance::tryFind(const std::vector<Entry>& entries, std::string_view kernel,
                                             std::int64_t handle) {
    const auto found = std::ranges::find_if(entries, [&](const Entry& entry) {
        return entry.kernel == kernel && (entry.handle == handle || entry.handle == 0);
    });
    return found == entries.end() ? nullptr : &*found;
}

base::Result<void> addNodeMappings(std::string_view json, Provenance& provenance) {
    AOTSCOPE_TRY(root, parsed(json));
    if (const auto kernels = root.find("cppCodeToPost"); kernels != root.end() && kernels->is_object()) {
        addEntries(*kernels, provenance.nodes);
    }
    return {};
}

base::Result<void> addStackTraces(std::string_view json, Provenance& provenance) {
    AOTSCOPE_TRY(root, parsed(json));
    addEntries(root, provenance.stacks);
    return {};
}

} // namespace aotscope::inductor
