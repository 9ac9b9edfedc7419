#pragma once

#include "base/mapped.h"
#include "base/result.h"

#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace aotscope::cli {

enum ExitCode : int {
    ExitYes = 0,
    /// The answer is no: the graphs differ, the run failed, the text is not a graph.
    ExitNo = 1,
    ExitUsage = 2,
    /// An input cannot be read or an output cannot be written.
    ExitUnreadable = 3,
    ExitInterrupted = 130,
};

/// Ends a command with a message on stderr and an exit code.
class Failure : public std::exception {
public:
    Failure(ExitCode code, base::Error error) : m_code(code), m_error(std::move(error)) {}
    [[nodiscard]] const char* what() const noexcept override { return m_error.message.c_str(); }
    [[nodiscard]] ExitCode code() const { return m_code; }
    [[nodiscard]] const base::Error& error() const { return m_error; }

private:
    ExitCode m_code;
    base::Error m_error;
};

[[nodiscard]] inline Failure usageFailure(std::string message, std::vector<std::string> notes = {}) {
    return {ExitUsage, {.code = "cli.usage", .message = std::move(message), .notes = std::move(notes)}};
}

/// The value of a result. Throws its error, as interrupted if a person canceled it.
template<typename T>
T orFail(ExitCode code, base::Result<T> result) {
    if (!result) {
        throw Failure(base::isCanceled(result.error()) ? ExitInterrupted : code, std::move(result).error());
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(result).value();
    }
}

/// Throws the error, if there is one.
inline void failWith(const std::optional<base::Error>& error, ExitCode code = ExitNo) {
    if (error) {
        throw Failure(code, *error);
    }
}

/// What `Parsed::parse` reads in each text. Throws the first error, as wrong usage.
template<typename Parsed>
[[nodiscard]] std::vector<Parsed> parsedAll(const std::vector<std::string>& texts) {
    return base::mapped(texts,
                        [&](const std::string& text) { return orFail(ExitUsage, Parsed::parse(text)); });
}

/// What `make` gives, or why one of several compiles has no answer: that takes no other's answer with it.
/// Throws what ends the whole command: cancel, wrong usage, an unreadable file.
template<typename Make>
[[nodiscard]] base::Result<std::invoke_result_t<Make>> apart(Make&& make) {
    try {
        return make();
    } catch (const Failure& failure) {
        if (failure.code() != ExitNo) {
            throw;
        }
        return failure.error();
    }
}

} // namespace aotscope::cli
