#include "load/artifact_list.h"

#include "base/numbers.h"

#include <algorithm>

namespace aotscope::load {

namespace {

/// "joint" and 7 of "joint#7".
struct NumberedName {
    std::string_view stem;
    std::size_t number = 0;
};

std::optional<NumberedName> splitNumber(std::string_view name) {
    const std::size_t mark = name.rfind('#');
    if (mark == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t number = base::wholeNumber<std::size_t>(name.substr(mark + 1)).value_or(0);
    return number > 0 ? std::optional(NumberedName{name.substr(0, mark), number}) : std::nullopt;
}

std::string numbered(std::string_view stem, std::size_t number) {
    return std::string(stem) + '#' + std::to_string(number);
}

} // namespace

ArtifactList::ArtifactList(std::vector<Artifact> artifacts) : m_artifacts(std::move(artifacts)) {
    for (std::uint32_t place = 0; place < m_artifacts.size(); ++place) {
        m_places[m_artifacts[place].name].push_back(place);
        if (m_artifacts[place].isGraph) {
            m_graphs.push_back(place);
        }
    }
    for (const auto& [stem, places] : m_places) {
        std::size_t number = 1;
        for (std::size_t i = 1; i < places.size(); ++i) {
            // An artifact may be logged under a name that looks numbered.
            do {
                ++number;
            } while (m_places.contains(numbered(stem, number)));
            m_artifacts[places[i]].name = numbered(stem, number);
        }
    }
}

std::span<const std::uint32_t> ArtifactList::placesOf(std::string_view name) const {
    const auto found = m_places.find(name);
    return found == m_places.end() ? std::span<const std::uint32_t>() : found->second;
}

std::optional<std::size_t> ArtifactList::tryPlace(std::string_view name) const {
    if (const auto places = placesOf(name); !places.empty()) {
        return m_artifacts[places.back()].isGraph ? places.back() : places.front();
    }
    const auto split = splitNumber(name);
    const auto places = split ? placesOf(split->stem) : std::span<const std::uint32_t>();
    if (places.empty()) {
        return std::nullopt;
    }
    if (split->number == 1) {
        return places.front();
    }
    // Numbers may be skipped but not repeated, so the artifact is at the place of its number or before.
    for (std::size_t i = std::min(split->number, places.size()); i-- > 1;) {
        if (m_artifacts[places[i]].name == name) {
            return places[i];
        }
    }
    return std::nullopt;
}

const Artifact* ArtifactList::tryFind(std::string_view name) const {
    const auto place = tryPlace(name);
    return place ? &m_artifacts[*place] : nullptr;
}

std::string ArtifactList::exactName(std::size_t place) const {
    const std::string& name = m_artifacts[place].name;
    const auto places = placesOf(name);
    return places.size() > 1 && places.front() == place ? numbered(name, 1) : name;
}

} // namespace aotscope::load
