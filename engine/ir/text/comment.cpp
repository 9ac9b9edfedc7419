#include "ir/text/annotation.h"

#include "ir/cursor.h"
#include "ir/quotes.h"

#include "base/numbers.h"
#include "base/text_search.h"

namespace aotscope::ir {
namespace {

constexpr std::string_view noStack = "No stacktrace found for following nodes";
constexpr std::string_view backwardPrefix = "Backward of forward node: ";
constexpr std::string_view annotationPrefix = "Annotation: ";
constexpr std::string_view graphIdPrefix = "ac_graph_id: ";
constexpr std::string_view recomputePrefix = "recompute: ";
constexpr std::string_view filePrefix = "File: ";

/// The canonical form only, so that what is read is printed alike.
template<typename Integer>
std::optional<Integer> canonicalInteger(std::string_view digits) {
    const auto value = base::wholeNumber<Integer>(digits);
    return value && std::to_string(*value) == digits ? value : std::nullopt;
}

/// The end of the dictionary that starts `text`, quotes respected; npos: none.
std::size_t endOfDictionary(std::string_view text) {
    int depth = 0;
    QuoteScanner quotes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quotes.take(text[i])) {
            continue;
        }
        if (text[i] == '{') {
            ++depth;
        } else if (text[i] == '}' && --depth == 0) {
            return i + 1;
        }
    }
    return std::string_view::npos;
}

/// `model.py:118 in forward, code: x = self.fc(x)`
std::optional<SourceLocation> parseLocation(std::string_view text) {
    const std::size_t code = text.find(", code: ");
    if (code == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view place = text.substr(0, code);
    // The function's name holds no " in ", a path may.
    for (std::size_t in = place.rfind(" in "); in != std::string_view::npos && in > 0;
         in = place.rfind(" in ", in - 1)) {
        const std::size_t colon = place.rfind(':', in);
        if (colon == std::string_view::npos) {
            return std::nullopt;
        }
        if (const auto line = canonicalInteger<int>(place.substr(colon + 1, in - colon - 1))) {
            return SourceLocation{std::string(place.substr(0, colon)), *line,
                                  std::string(place.substr(in + 4)), std::string(text.substr(code + 8))};
        }
    }
    return std::nullopt;
}

/// False when the text has no known shape; `origin` is then half filled.
bool parseKnownShape(std::string_view text, NodeOrigin& origin) {
    if (text.starts_with(annotationPrefix)) {
        text.remove_prefix(annotationPrefix.size());
        const std::size_t end = text.starts_with('{') ? endOfDictionary(text) : std::string_view::npos;
        if (end >= text.size() || text[end] != ' ') {
            return false;
        }
        origin.annotation = std::string(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    if (text.starts_with(graphIdPrefix)) {
        text.remove_prefix(graphIdPrefix.size());
        origin.acGraphId = canonicalInteger<std::int64_t>(base::takePart(text, ' '));
        if (!origin.acGraphId) {
            return false;
        }
        if (text.starts_with("- ")) {
            text.remove_prefix(2);
            origin.recompute = std::string(base::takePart(text, ' '));
        }
    } else if (text.starts_with(recomputePrefix)) {
        text.remove_prefix(recomputePrefix.size());
        origin.recompute = std::string(base::takePart(text, ' '));
    }
    if (text == noStack) {
        return true;
    }
    if (text.starts_with(backwardPrefix)) {
        origin.backwardOfForward = true;
        text.remove_prefix(backwardPrefix.size());
    }
    if (!text.starts_with(filePrefix)) {
        return false;
    }
    origin.source = parseLocation(text.substr(filePrefix.size()));
    return origin.source.has_value();
}

} // namespace

NodeOrigin parseOrigin(std::string_view comment) {
    NodeOrigin origin;
    if (!parseKnownShape(comment, origin)) {
        origin = {};
        origin.other = std::string(comment);
    }
    return origin;
}

std::string originText(const NodeOrigin& origin) {
    if (!origin.other.empty()) {
        return origin.other;
    }
    std::string text;
    if (!origin.annotation.empty()) {
        text.append(annotationPrefix).append(origin.annotation).append(" ");
    }
    if (origin.acGraphId) {
        text.append(graphIdPrefix).append(std::to_string(*origin.acGraphId)).append(" ");
        if (!origin.recompute.empty()) {
            text.append("- ").append(origin.recompute).append(" ");
        }
    } else if (!origin.recompute.empty()) {
        text.append(recomputePrefix).append(origin.recompute).append(" ");
    }
    if (!origin.source) {
        return text.append(noStack);
    }
    if (origin.backwardOfForward) {
        text.append(backwardPrefix);
    }
    const SourceLocation& source = *origin.source;
    text.append(filePrefix).append(source.file).append(":").append(std::to_string(source.line));
    return text.append(" in ").append(source.function).append(", code: ").append(source.code);
}

} // namespace aotscope::ir
