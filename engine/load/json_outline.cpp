#include "load/json_outline.h"

#include "base/json_text.h"
#include "base/progress.h"

#include <algorithm>
#include <array>

namespace aotscope::load {

namespace {

/// Bytes of a large part; scanning a shorter one on demand takes a fraction of a millisecond.
constexpr std::size_t largePart = 128U << 10U;
/// The most bytes that one query scans, and the most members it returns.
constexpr std::size_t mostLooked = 512U << 10U;
constexpr std::size_t mostMembers = 1'000;

constexpr std::string_view spaces = " \n\t\r";

enum Kind : unsigned char { Plain, Space, Open, Close, Quote, Between };

constexpr std::array<Kind, 256> kindOfByte = [] {
    std::array<Kind, 256> table = {};
    for (const char c : spaces) {
        table.at(static_cast<unsigned char>(c)) = Space;
    }
    table['{'] = table['['] = Open;
    table['}'] = table[']'] = Close;
    table['"'] = Quote;
    table[','] = table[':'] = Between;
    return table;
}();

Kind kindOf(char c) {
    return kindOfByte[static_cast<unsigned char>(c)]; // NOLINT: any byte is in it
}
bool opens(char c) {
    return kindOf(c) == Open;
}
bool closes(char c) {
    return kindOf(c) == Close;
}
bool isSpace(char c) {
    return kindOf(c) == Space;
}
bool isPlain(char c) {
    return kindOf(c) <= Space;
}

} // namespace

bool JsonOutline::begins(std::string_view text) {
    const std::size_t first = text.find_first_not_of(spaces);
    return first != std::string_view::npos && opens(text[first]);
}

base::Result<JsonOutlinePtr> JsonOutline::of(std::string_view text, base::Progress& progress) {
    if (!begins(text)) {
        return JsonOutlinePtr();
    }
    std::shared_ptr<JsonOutline> outline(new JsonOutline(text));
    outline->m_root = {text.find_first_not_of(spaces), text.size(), 0};
    AOTSCOPE_CHECK(outline->findLargeParts(progress));
    return JsonOutlinePtr(std::move(outline));
}

base::Result<void> JsonOutline::findLargeParts(base::Progress& progress) {
    // The beginnings of the containers around the current position; deeper ones are only counted.
    std::vector<std::size_t> open;
    std::size_t depth = 0;
    std::size_t told = 0;
    std::size_t at = m_root.begin;
    const auto keep = [this](std::size_t begin, std::size_t end) {
        if (end - begin >= largePart) {
            m_values.push_back({begin, end});
        }
    };
    do {
        if (at >= told) {
            AOTSCOPE_CHECK(progress.checkStop());
            progress.report("Finding the parts of the JSON", at, m_text.size());
            told = at + mostLooked;
        }
        const std::size_t begin = at;
        if (m_text[at] == '"') {
            at = base::endOfJsonString(m_text, at + 1);
            keep(begin, at);
        } else if (opens(m_text[at])) {
            ++at;
            // One level more than has members: such a container's end is needed, its members are not.
            if (++depth <= deepest + 1) {
                open.push_back(begin);
            }
        } else if (closes(m_text[at])) {
            ++at;
            if (--depth < open.size()) {
                keep(open.back(), at);
                open.pop_back();
            }
        } else if (isPlain(m_text[at])) {
            while (at < m_text.size() && isPlain(m_text[at])) {
                ++at;
            }
            keepLargeRun({begin, at});
        } else {
            ++at;
        }
    } while (depth > 0 && at < m_text.size());
    for (const std::size_t begin : open) {
        keep(begin, m_text.size());
    }
    m_root.end = at;
    std::ranges::sort(m_values, {}, &Span::begin);
    return {};
}

void JsonOutline::keepLargeRun(const Span& run) {
    if (run.end - run.begin < largePart) {
        return;
    }
    m_runs.push_back(run);
    for (std::size_t at = run.begin; at < run.end;) {
        const std::size_t begin = at;
        while (at < run.end && isSpace(m_text[at])) {
            ++at;
        }
        if (at - begin >= largePart) {
            m_spaces.push_back({begin, at});
        }
        while (at < run.end && !isSpace(m_text[at])) {
            ++at;
        }
    }
}

std::size_t JsonOutline::skip(std::size_t at, bool (*belongs)(char), const std::vector<Span>& large) const {
    const std::size_t end = std::min(m_text.size(), at + largePart);
    while (at < end && belongs(m_text[at])) {
        ++at;
    }
    if (at == end && at < m_text.size()) {
        const auto behind =
            std::ranges::partition_point(large, [at](const Span& span) { return span.end <= at; });
        return behind != large.end() && behind->begin <= at ? behind->end : at;
    }
    return at;
}

/// The end of the value at `at`; the end of the text if it is not closed. Adds the scanned bytes to `looked`.
std::size_t JsonOutline::skipValue(std::size_t at, std::size_t& looked) const {
    std::size_t depth = 0;
    while (at < m_text.size()) {
        const std::size_t begin = at;
        const char c = m_text[at];
        if (c == '"' || (opens(c) && depth == 0)) {
            const auto known = std::ranges::lower_bound(m_values, at, {}, &Span::begin);
            if (known != m_values.end() && known->begin == at) {
                at = known->end;
                if (depth == 0 && c != '"') {
                    return at;
                }
                continue;
            }
        }
        if (c == '"') {
            at = base::endOfJsonString(m_text, at + 1);
        } else if (opens(c)) {
            ++depth;
            ++at;
        } else if (closes(c)) {
            if (depth == 0) {
                return at; // The closing bracket of the container around a plain value.
            }
            ++at;
            if (--depth == 0) {
                return at;
            }
        } else if (isPlain(c)) {
            at = skip(at, isPlain, m_runs);
        } else if (depth == 0) {
            return at;
        } else {
            ++at;
        }
        looked += std::min(at - begin, largePart);
    }
    return m_text.size();
}

bool JsonOutline::isContainer(const Value& value) const {
    return value.begin < value.end && opens(m_text[value.begin]) && value.depth < deepest;
}

bool JsonOutline::hasMembers(const Value& value) const {
    if (!isContainer(value)) {
        return false;
    }
    const std::size_t first = skip(value.begin + 1, isSpace, m_spaces);
    return first < value.end && !closes(m_text[first]);
}

JsonOutline::Member JsonOutline::memberAt(std::size_t& at, const Value& container,
                                          std::size_t& looked) const {
    Member member;
    if (m_text[container.begin] == '{') {
        const std::size_t keyEnd = std::min(skipValue(at, looked), container.end);
        member.key = m_text.substr(at, keyEnd - at);
        if (member.key.starts_with('"')) {
            member.key = member.key.substr(1, member.key.rfind('"') - 1);
        } else {
            member.key = member.key.substr(0, member.key.find_last_not_of(spaces) + 1);
        }
        at = skip(keyEnd, isSpace, m_spaces);
        if (at < container.end && m_text[at] == ':') {
            ++at;
        }
        const std::size_t before = at;
        at = skip(at, isSpace, m_spaces);
        looked += std::min(at - before, largePart);
    }
    member.value = {at, std::min(skipValue(at, looked), container.end), container.depth + 1};
    const std::size_t begin = at;
    at = skip(std::max(at, member.value.end), isSpace, m_spaces);
    const bool comma = at < container.end && m_text[at] == ',';
    if (comma || at == begin) {
        ++at; // Also if it is not JSON, so that the search ends.
    }
    return member;
}

JsonOutline::Members JsonOutline::members(const Value& container, std::size_t next) const {
    Members members;
    std::size_t at = next == 0 ? container.begin + 1 : next;
    std::size_t looked = 0;
    while (isContainer(container)) {
        const std::size_t before = at;
        at = skip(at, isSpace, m_spaces);
        looked += std::min(at - before, largePart);
        if (at >= container.end || closes(m_text[at])) {
            break;
        }
        if (members.found.size() == mostMembers || looked >= mostLooked) {
            members.next = at;
            break;
        }
        members.found.push_back(memberAt(at, container, looked));
    }
    return members;
}

} // namespace aotscope::load
