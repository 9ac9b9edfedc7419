#include "kernels/code_lines.h"

#include "kernels/scan_text.h"

#include <map>
#include <optional>
#include <tuple>

namespace aotscope::kernels {

namespace {

/// A place as a directive gives it: which file, line and column.
using Place = std::tuple<std::size_t, std::size_t, std::size_t>;
/// Functions inlined into each other deeper than this are not followed.
constexpr int deepestInlining = 64;

std::optional<std::size_t> takeSpacedNumber(std::string_view& rest) {
    rest = withoutIndent(rest);
    return takeNumber(rest);
}

std::optional<Place> takePlace(std::string_view& rest) {
    const auto file = takeSpacedNumber(rest);
    const auto line = file ? takeSpacedNumber(rest) : std::nullopt;
    const auto column = line ? takeSpacedNumber(rest) : std::nullopt;
    return column ? std::optional(Place{*file, *line, *column}) : std::nullopt;
}

bool isFile(std::string_view path, std::string_view file) {
    return path.ends_with(file) && (path.size() == file.size() || path[path.size() - file.size() - 1] == '/');
}

/// The text between the first two quotes.
std::string_view quoted(std::string_view line) {
    const std::size_t begin = line.find('"');
    const std::size_t end = begin == std::string_view::npos ? begin : line.find('"', begin + 1);
    return end == std::string_view::npos ? std::string_view() : line.substr(begin + 1, end - begin - 1);
}

/// `.loc file line column[, function_name …, inlined_at file line column]`
struct Location {
    Place place;
    std::optional<Place> inlinedAt;
};

std::optional<Location> readLocation(std::string_view line) {
    constexpr std::string_view word = ".loc";
    line = withoutIndent(line);
    if (!line.starts_with(word)) {
        return std::nullopt;
    }
    line.remove_prefix(word.size());
    const auto place = takePlace(line);
    if (!place) {
        return std::nullopt;
    }
    Location location{*place, std::nullopt};
    constexpr std::string_view inlined = "inlined_at";
    if (const std::size_t at = line.find(inlined); at != std::string_view::npos) {
        line.remove_prefix(at + inlined.size());
        location.inlinedAt = takePlace(line);
    }
    return location;
}

/// The tables that the directives of a PTX text make.
struct PtxPlaces {
    /// The number of the kernel's file; 0: it has none.
    std::size_t file = 0;
    /// Where the function that a place belongs to was inlined. The last mention counts.
    std::map<Place, Place> callers;

    [[nodiscard]] std::size_t lineOf(const Location& location) const {
        Place place = location.place;
        std::optional<Place> caller = location.inlinedAt;
        for (int depth = 0; std::get<0>(place) != file && caller && depth < deepestInlining; ++depth) {
            place = *caller;
            const auto next = callers.find(place);
            caller = next == callers.end() ? std::nullopt : std::optional(next->second);
        }
        return file != 0 && std::get<0>(place) == file ? std::get<1>(place) : 0;
    }
};

/// `.file 1 "/fused.cu"` comes at the end.
PtxPlaces filesOf(std::string_view ptx, std::string_view file) {
    PtxPlaces places;
    constexpr std::string_view word = ".file";
    while (!ptx.empty()) {
        std::string_view line = withoutIndent(takeLine(ptx));
        if (line.starts_with(word) && isFile(quoted(line), file)) {
            line.remove_prefix(word.size());
            places.file = takeSpacedNumber(line).value_or(0);
        }
    }
    return places;
}

bool isInstruction(std::string_view line) {
    line = withoutIndent(line);
    return !line.empty() && line.find(';') != std::string_view::npos && line.front() != '.' &&
           !line.starts_with("//");
}

} // namespace

std::vector<std::size_t> CodeLines::codeLinesOf(std::size_t sourceLine) const {
    std::vector<std::size_t> lines;
    for (std::size_t i = 0; i < sourceLines.size(); ++i) {
        if (sourceLine != 0 && sourceLines[i] == sourceLine) {
            lines.push_back(i + 1);
        }
    }
    return lines;
}

CodeLines ptxLines(std::string_view ptx, std::string_view file) {
    PtxPlaces places = filesOf(ptx, file);
    CodeLines lines;
    std::size_t current = 0;
    while (!ptx.empty()) {
        const std::string_view line = takeLine(ptx);
        if (const auto location = readLocation(line)) {
            if (location->inlinedAt) {
                places.callers[location->place] = *location->inlinedAt;
            }
            current = places.lineOf(*location);
        } else if (line.starts_with('}')) {
            current = 0;
        }
        lines.sourceLines.push_back(isInstruction(line) ? current : 0);
    }
    return lines;
}

CodeLines sassLines(std::string_view sass, std::string_view file) {
    constexpr std::string_view mark = "//## File ";
    CodeLines lines;
    std::size_t current = 0;
    bool wasMark = false;
    while (!sass.empty()) {
        const std::string_view text = withoutIndent(takeLine(sass));
        if (text.starts_with(mark)) {
            // Marks without code between them lead from an inlined function out to its callers.
            current = wasMark ? current : 0;
            constexpr std::string_view word = "\", line ";
            const std::size_t at = text.find(word);
            if (isFile(quoted(text), file) && at != std::string_view::npos) {
                std::string_view rest = text.substr(at + word.size());
                current = takeNumber(rest).value_or(0);
            }
            wasMark = true;
        } else if (text.starts_with("//---")) {
            current = 0;
            wasMark = false;
        } else {
            wasMark = false;
        }
        lines.sourceLines.push_back(text.starts_with("/*") ? current : 0);
    }
    return lines;
}

} // namespace aotscope::kernels
