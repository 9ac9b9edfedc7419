#include "kernels/compile_message.h"

#include "kernels/scan_text.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

namespace aotscope::kernels {

namespace {

constexpr std::size_t mostMessages = 200;

using Severity = CompileMessage::Severity;
constexpr std::pair<std::string_view, Severity> severities[] = {{"error", Severity::Error},
                                                                {"fatal error", Severity::Error},
                                                                {"catastrophic error", Severity::Error},
                                                                {"internal error", Severity::Error},
                                                                {"warning", Severity::Warning},
                                                                {"note", Severity::Remark},
                                                                {"remark", Severity::Remark}};

/// Reads "severity: text", with a number behind the severity or none: "error #20", "warning #177-D".
bool readSeverity(std::string_view rest, CompileMessage& message) {
    const std::size_t colon = rest.find(": ");
    if (colon == std::string_view::npos) {
        return false;
    }
    std::string_view word = rest.substr(0, colon);
    word = word.substr(0, std::min(word.find(" #"), word.size()));
    rest.remove_prefix(colon + 2);
    const auto* known = std::ranges::find(severities, word, &std::pair<std::string_view, Severity>::first);
    if (known == std::end(severities)) {
        return false;
    }
    message.severity = known->second;
    message.text = rest;
    return true;
}

/// The last part of a path.
std::string fileOf(std::string_view path) {
    return std::string(path.substr(path.rfind('/') + 1));
}

/// "file:line:column: severity: text"
std::optional<CompileMessage> readGnuHeading(std::string_view line) {
    // The file's name may contain colons, so the first place with numbers behind it counts.
    for (std::size_t at = line.find(':'); at != std::string_view::npos; at = line.find(':', at + 1)) {
        std::string_view rest = line.substr(at + 1);
        const auto number = takeNumber(rest);
        if (!number || !takeWord(rest, ":")) {
            continue;
        }
        CompileMessage message{.file = fileOf(line.substr(0, at)), .line = *number};
        if (const auto column = takeNumber(rest)) {
            message.column = *column;
            takeWord(rest, ":");
        }
        takeWord(rest, " ");
        if (readSeverity(rest, message)) {
            return message;
        }
    }
    return std::nullopt;
}

/// "file(line): severity: text"
std::optional<CompileMessage> readNvrtcHeading(std::string_view line) {
    const std::size_t open = line.find('(');
    if (open == std::string_view::npos) {
        return std::nullopt;
    }
    std::string_view rest = line.substr(open + 1);
    const auto number = takeNumber(rest);
    if (!number || !takeWord(rest, "): ")) {
        return std::nullopt;
    }
    CompileMessage message{.file = fileOf(line.substr(0, open)), .line = *number};
    return readSeverity(rest, message) ? std::optional(std::move(message)) : std::nullopt;
}

/// What the linker or the driver says: no place, but an error.
std::optional<CompileMessage> readPlacelessHeading(std::string_view line) {
    return hasOneOf(line, {": error: ", ": fatal error: ", "ld: ", "nvrtc: error: "})
               ? std::optional(CompileMessage{.text = std::string(line)})
               : std::nullopt;
}

std::optional<CompileMessage> readHeading(std::string_view line) {
    for (const auto read : {readGnuHeading, readNvrtcHeading, readPlacelessHeading}) {
        if (auto message = read(line)) {
            return message;
        }
    }
    return std::nullopt;
}

/// NVRTC shows the line indented by two blanks, and beneath it a caret.
std::size_t columnOfCaret(std::string_view line) {
    constexpr std::size_t indent = 2;
    const std::size_t caret = line.find('^');
    const bool isAlone = caret != std::string_view::npos && line.find_first_not_of(" \t") == caret &&
                         line.find_first_not_of(" \t", caret + 1) == std::string_view::npos;
    return isAlone && caret >= indent ? caret - indent + 1 : 0;
}

} // namespace

std::string kernelFileName(std::string_view kernel) {
    constexpr std::size_t longest = 200;
    std::string name(kernel.substr(0, longest));
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_'; }, '_');
    return name + ".cu";
}

std::vector<CompileMessage> readCompileMessages(std::string_view log) {
    std::vector<CompileMessage> messages;
    bool isOpen = false;
    while (!log.empty() && messages.size() < mostMessages) {
        const std::string_view line = takeLine(log);
        if (auto heading = readHeading(line)) {
            messages.push_back(*std::move(heading));
            isOpen = messages.back().line > 0 && messages.back().column == 0;
        } else if (const std::size_t column = isOpen ? columnOfCaret(line) : 0; column > 0) {
            messages.back().column = column;
            isOpen = false;
        }
    }
    return messages;
}

bool hasErrors(const std::vector<CompileMessage>& messages) {
    return std::ranges::any_of(messages, [](const CompileMessage& message) {
        return message.severity == CompileMessage::Severity::Error;
    });
}

base::Error compileError(const std::vector<CompileMessage>& messages) {
    base::Error error{.code = "kernels.not_compiled", .message = "The kernel's text does not compile."};
    bool isFirst = true;
    for (const CompileMessage& message : messages) {
        if (message.severity != CompileMessage::Severity::Error) {
            continue;
        }
        if (isFirst) {
            error.message = message.text;
            error.place = {message.file, message.line, message.column, {}};
            isFirst = false;
        } else {
            error.notes.push_back(message.file + ":" + std::to_string(message.line) + ": " + message.text);
        }
    }
    return error;
}

} // namespace aotscope::kernels
