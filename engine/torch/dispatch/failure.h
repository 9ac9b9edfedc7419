#pragma once

#include "base/result.h"

#include <exception>
#include <string>
#include <utility>

namespace aotscope::torch {

/// Thrown in engine/torch if a node or input cannot be computed; handledError makes it the run's error.
class RunFailure : public std::exception {
public:
    explicit RunFailure(base::Error error) : m_error(std::move(error)) {}
    [[nodiscard]] const base::Error& error() const { return m_error; }
    [[nodiscard]] base::Error& error() { return m_error; }
    [[nodiscard]] const char* what() const noexcept override { return m_error.message.c_str(); }

private:
    base::Error m_error;
};

/// Thrown if the run was canceled. A standard exception, because autograd keeps its own state intact only for
/// those when they leave a backward.
struct Canceled : std::exception {};

[[noreturn]] inline void fail(std::string code, std::string message, std::string hint = {}) {
    throw RunFailure(
        base::Error{.code = std::move(code), .message = std::move(message), .hint = std::move(hint)});
}

/// Throws the error of a result that has no value.
template<typename Value>
[[nodiscard]] Value valueOrThrow(base::Result<Value> result) {
    if (result) {
        return std::move(result).value();
    }
    if (base::isCanceled(result.error())) {
        throw Canceled{};
    }
    throw RunFailure(std::move(result).error());
}

} // namespace aotscope::torch
