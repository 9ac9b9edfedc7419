#include "base/result.h"

namespace aotscope::base {

std::string Error::text() const {
    std::string out;
    if (!place.file.empty()) {
        out += place.file + ':';
    }
    if (place.line != 0) {
        out += std::to_string(place.line) + ':';
        if (place.column != 0) {
            out += std::to_string(place.column) + ':';
        }
    }
    if (!out.empty()) {
        out += ' ';
    }
    if (!place.node.empty()) {
        out += "node " + place.node + ": ";
    }
    out += message;
    for (const std::string& note : notes) {
        out += "\n  " + note;
    }
    if (!hint.empty()) {
        out += "\n  " + hint;
    }
    return out;
}

Error canceledError() {
    return {.code = "session.canceled", .message = "The command was canceled."};
}

bool isCanceled(const Error& error) {
    return error.code == "session.canceled";
}

} // namespace aotscope::base
