#pragma once

#include "base/describe.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace aotscope::base {

/// Where something went wrong: file, line and column (1-based, 0: unknown) and graph node; empty: unknown.
struct Place {
    std::string file = {};
    std::size_t line = 0;
    std::size_t column = 0;
    std::string node = {};
};
AOTSCOPE_MEMBERS(Place, file, line, column, node)

/// A failure as a value. `code` is stable and machine readable, written `area.what`
/// ("load.truncated_payload"); `message` says what happened, `hint` what to do about it; `notes` carry
/// details such as the offending text.
struct Error {
    std::string code;
    std::string message;
    Place place = {};
    std::vector<std::string> notes = {};
    std::string hint = {};

    /// One or more lines for people: "file:line:column: message", then the notes and the hint.
    [[nodiscard]] std::string text() const;
};
AOTSCOPE_MEMBERS(Error, code, message, place, notes, hint)

/// An Error behind a pointer, empty after it was moved from: a result is then hardly larger than its value,
/// and what moves, copies and ends errors is compiled once and not at every call that may fail.
class HeldError {
public:
    HeldError() = default;
    explicit HeldError(Error&& error);
    explicit HeldError(const Error& error);
    HeldError(const HeldError& other);
    HeldError(HeldError&& other) noexcept = default;
    HeldError& operator=(const HeldError& other);
    HeldError& operator=(HeldError&& other) noexcept = default;
    ~HeldError() = default;

    [[nodiscard]] bool empty() const { return !m_error; }
    /// Must not be empty.
    [[nodiscard]] Error& operator*() const { return *m_error; }

private:
    struct Delete {
        void operator()(Error* error) const;
    };
    std::unique_ptr<Error, Delete> m_error;
};

/// A value or an Error, like std::expected. Reading the wrong side throws std::bad_variant_access. A result
/// that was moved from can only be assigned to or end.
template<typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_state(std::in_place_index<0>, std::move(value)) {}       // NOLINT: implicit by intent
    Result(Error&& error) : m_state(std::in_place_index<1>, std::move(error)) {} // NOLINT: implicit by intent
    Result(const Error& error) : m_state(std::in_place_index<1>, error) {}       // NOLINT: implicit by intent

    [[nodiscard]] bool ok() const { return m_state.index() == 0; }
    explicit operator bool() const { return ok(); }

    [[nodiscard]] T& value() & { return std::get<0>(m_state); }
    [[nodiscard]] const T& value() const& { return std::get<0>(m_state); }
    [[nodiscard]] T&& value() && { return std::get<0>(std::move(m_state)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    [[nodiscard]] Error& error() & { return *std::get<1>(m_state); }
    [[nodiscard]] const Error& error() const& { return *std::get<1>(m_state); }
    [[nodiscard]] Error&& error() && { return std::move(*std::get<1>(m_state)); }

private:
    std::variant<T, HeldError> m_state;
};

/// Success without a value, or an Error.
template<>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error&& error) : m_error(std::move(error)) {} // NOLINT: implicit by intent
    Result(const Error& error) : m_error(error) {}       // NOLINT: implicit by intent

    [[nodiscard]] bool ok() const { return m_error.empty(); }
    explicit operator bool() const { return ok(); }
    [[nodiscard]] const Error& error() const& { return *m_error; }
    [[nodiscard]] Error&& error() && { return std::move(*m_error); }

private:
    HeldError m_error;
};

/// The error of a command that its owner stopped (session.canceled); it has no message for the user.
[[nodiscard]] Error canceledError();
[[nodiscard]] bool isCanceled(const Error& error);

} // namespace aotscope::base

/// Names the value of a result, or returns its error from the function: `AOTSCOPE_TRY(graph, parse(text));`.
/// The value may be moved from.
#define AOTSCOPE_TRY(name, ...)                                                                              \
    auto name##OrError = __VA_ARGS__;                                                                        \
    if (!name##OrError) {                                                                                    \
        return std::move(name##OrError).error();                                                             \
    }                                                                                                        \
    [[maybe_unused]] auto& name = *name##OrError

/// Returns the error of a result from the function.
#define AOTSCOPE_CHECK(...)                                                                                  \
    if (auto aotscopeDone = __VA_ARGS__; !aotscopeDone) {                                                    \
        return std::move(aotscopeDone).error();                                                              \
    }                                                                                                        \
    static_assert(true)
