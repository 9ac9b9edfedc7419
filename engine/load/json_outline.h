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

/// JSON of any size as a tree that is looked into level by level. One pass finds where its large parts end;
/// what is small is found when it is asked for, so that each answer looks at a bounded part of the text. Text
/// that is no JSON has members too, in its own way, and a place deeper than `deepest` is a value without
/// members. Immutable. Accepts NaN and Infinity, as Python writes.
class JsonOutline {
public:
    /// Null where the text does not begin an object or array. `text` lives as long as what is made. Error:
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
        /// Without its quotes; empty in an array.
        std::string_view key;
        Value value;
    };
    struct Members {
        std::vector<Member> found;
        /// Where the next ones begin; 0: these were the last.
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
    /// Some members of a container from `next` on (0: the first), as many as are found in a moment.
    [[nodiscard]] Members members(const Value& container, std::size_t next = 0) const;

private:
    struct Span {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    explicit JsonOutline(std::string_view text) : m_text(text) {}
    base::Result<void> findLargeParts(base::Progress& progress);
    void keepLargeRun(const Span& run);
    /// Behind what belongs to a run, which is one of `large` where it goes on for long.
    [[nodiscard]] std::size_t skip(std::size_t at, bool (*belongs)(char),
                                   const std::vector<Span>& large) const;
    [[nodiscard]] std::size_t skipSpace(std::size_t at) const;
    [[nodiscard]] std::size_t skipPlain(std::size_t at) const;
    [[nodiscard]] std::size_t skipValue(std::size_t at, std::size_t& looked) const;
    [[nodiscard]] Member memberAt(std::size_t& at, const Value& container, std::size_t& looked) const;

    std::string_view m_text;
    Value m_root;
    /// Large containers and strings, by where they begin.
    std::vector<Span> m_values;
    /// Large runs of what is neither, and of white space among them.
    std::vector<Span> m_runs;
    std::vector<Span> m_spaces;
};

} // namespace aotscope::load
