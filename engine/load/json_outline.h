#pragma once

#include "base/result.h"

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace aotscope::base {
class Progress;
} // namespace aotscope::base

namespace aotscope::load {

class JsonOutline;
using JsonOutlinePtr = std::shared_ptr<const JsonOutline>;

/// JSON text of any size as a tree that is read level by level. One pass finds the ends of its large parts;
/// small parts are scanned on demand, so that each query reads a bounded part of the text. Immutable.
/// Malformed JSON also has members, with unspecified bounds. A value deeper than `deepest` has no members.
/// Accepts NaN and Infinity, as Python writes them.
class JsonOutline {
public:
    /// Null: the text does not begin with an object or array. `text` must outlive the result. Error:
    /// session.canceled.
    [[nodiscard]] static base::Result<JsonOutlinePtr> of(std::string_view text, base::Progress& progress);
    [[nodiscard]] static bool begins(std::string_view text);

    static constexpr std::size_t deepest = 1'000;

    struct Value {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::size_t depth = 0;
    };
    struct Member {
        /// Without quotes; empty in an array.
        std::string_view key;
        Value value;
    };
    struct Members {
        std::vector<Member> found;
        /// Where the next members begin; 0: there are no more.
        std::size_t next = 0;
    };

    [[nodiscard]] std::string_view text() const { return m_text; }
    [[nodiscard]] std::string_view text(const Value& value) const {
        return m_text.substr(value.begin, value.end - value.begin);
    }
    [[nodiscard]] const Value& root() const { return m_root; }
    /// Whether it may have members.
    [[nodiscard]] bool isContainer(const Value& value) const;
    [[nodiscard]] bool hasMembers(const Value& value) const;
    /// Members of a container from `next` on (0: the first), as many as are found in a bounded time.
    [[nodiscard]] Members members(const Value& container, std::size_t next = 0) const;

private:
    struct Span {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    explicit JsonOutline(std::string_view text) : m_text(text) {}
    base::Result<void> findLargeParts(base::Progress& progress);
    void keepLargeRun(const Span& run);
    /// The end of the run of characters that `belongs` accepts; a long run is looked up in `large`.
    [[nodiscard]] std::size_t skip(std::size_t at, bool (*belongs)(char),
                                   const std::vector<Span>& large) const;
    [[nodiscard]] std::size_t skipValue(std::size_t at, std::size_t& looked) const;
    [[nodiscard]] Member memberAt(std::size_t& at, const Value& container, std::size_t& looked) const;

    std::string_view m_text;
    Value m_root;
    /// Large containers and strings, sorted by begin.
    std::vector<Span> m_values;
    /// Large runs of other characters, and of white space inside them.
    std::vector<Span> m_runs;
    std::vector<Span> m_spaces;
};

} // namespace aotscope::load
