#include "load/header_line.h"

#include "base/characters.h"

#include <algorithm>

namespace aotscope::load {

namespace {

// No path is longer; the limit saves time on gigantic lines.
constexpr std::size_t placeLimit = 8192;
constexpr std::size_t prefixLimit = 128;

/// Start of the header after a launcher's prefix; npos: there is none.
std::size_t startBehindPrefix(std::string_view line) {
    const std::size_t end = std::min(line.size(), prefixLimit);
    for (std::size_t i = 1; i < end; ++i) {
        const bool boundary = line[i - 1] == ' ' || line[i - 1] == ':' || line[i - 1] == ']';
        if (boundary && startsWithTime(line.substr(i))) {
            return i;
        }
    }
    return std::string_view::npos;
}

/// Position of the "{" in "…:1640] {".
std::size_t envelopeStart(std::string_view line, std::size_t from) {
    const std::string_view place = line.substr(0, std::min(line.size(), placeLimit));
    for (std::size_t at = from; (at = place.find("] {", at)) != std::string_view::npos; ++at) {
        if (at > 0 && base::isDigit(place[at - 1])) {
            return at + 2;
        }
    }
    return std::string_view::npos;
}

/// "…:1640] text" is an ordinary log message.
bool isMessage(std::string_view line, std::size_t from) {
    const std::string_view place = line.substr(0, std::min(line.size(), placeLimit));
    for (std::size_t at = from; (at = place.find(']', at)) != std::string_view::npos; ++at) {
        if (base::isDigit(place[at - 1])) {
            return at + 2 < line.size();
        }
    }
    return false;
}

} // namespace

bool startsWithTime(std::string_view text, std::string_view levels) {
    // A d means a digit.
    static constexpr std::string_view shape = "Ldddd dd:dd:dd";
    if (text.size() < shape.size() || levels.find(text[0]) == std::string_view::npos) {
        return false;
    }
    for (std::size_t i = 1; i < shape.size(); ++i) {
        if (shape[i] == 'd' ? !base::isDigit(text[i]) : text[i] != shape[i]) {
            return false;
        }
    }
    return true;
}

std::string_view headerThread(std::string_view line) {
    const std::size_t start = startsWithTime(line) ? 0 : startBehindPrefix(line);
    if (start == std::string_view::npos) {
        return {};
    }
    // After the level with the date, and after the time.
    const std::size_t date = std::min(line.find(' ', start), line.size());
    const std::size_t from = std::min(line.find(' ', date + 1), line.size());
    const std::string_view rest = line.substr(std::min(from + 1, line.size()));
    const auto end = std::ranges::find_if_not(rest, base::isDigit);
    return rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
}

HeaderLine recogniseHeader(std::string_view line) {
    std::size_t start = 0;
    if (!startsWithTime(line)) {
        start = startBehindPrefix(line);
        if (start == std::string_view::npos) {
            return {};
        }
    }
    const std::size_t envelope = envelopeStart(line, start + 14);
    if (envelope != std::string_view::npos) {
        return {HeaderShape::Whole, envelope};
    }
    return {isMessage(line, start + 14) ? HeaderShape::None : HeaderShape::Cut, 0};
}

} // namespace aotscope::load
