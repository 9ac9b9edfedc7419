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

HeldError::HeldError(Error&& error) : m_error(new Error(std::move(error))) {}

HeldError::HeldError(const Error& error) : m_error(new Error(error)) {}

HeldError::HeldError(const HeldError& other) : m_error(other.m_error ? new Error(*other.m_error) : nullptr) {}

HeldError& HeldError::operator=(const HeldError& other) {
    if (this != &other) {
        *this = HeldError(other);
    }
    return *this;
}

void HeldError::Delete::operator()(Error* error) const {
    delete error;
}

Error canceledError() {
    return {.code = "session.canceled", .message = "The command was canceled."};
}

bool isCanceled(const Error& error) {
    return error.code == "session.canceled";
}

} // namespace aotscope::base
