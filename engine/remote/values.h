#pragma once

#include "aot/function_fields_json.h"
#include "aot/retrace.h"
#include "contract/backend.h"
#include "contract/run_fields_json.h"
#include "ir/text/descriptor_text.h"

#include "base/describe.h"
#include "base/result.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// What session::Backend takes and gives, as bodies of messages and back. Reading what was written gives the
/// same value: that is a law with a test.
namespace aotscope::aot::detail {

inline Json toJson(const ir::Descriptor& descriptor, JsonContext&) {
    return {{"input", descriptor.input() != nullptr},
            {"text", ir::descriptorText(descriptor)},
            {"derived", descriptor.derived}};
}
inline void fromJson(const Json& json, ir::Descriptor& descriptor, JsonContext& context) {
    FieldReader field(json, context);
    bool isInput = false;
    std::string text;
    bool derived = false;
    field("input", isInput);
    field("text", text);
    field("derived", derived);
    descriptor = isInput ? ir::parsePlaceholderDescriptor(text) : ir::parseReturnedDescriptor(text);
    descriptor.derived = derived;
}

/// What the receiver has already or cannot have.
template<typename T>
concept StaysBehind = std::same_as<T, session::GraphSnapshotPtr> || std::same_as<T, session::ProfilePtr>;
template<StaysBehind T>
Json toJson(const T&, JsonContext&) {
    return nullptr;
}
template<StaysBehind T>
void fromJson(const Json&, T&, JsonContext&) {}

/// A call without parameters.
template<typename T>
concept IsBare = std::is_empty_v<T> && requires {
    typename T::Answer;
};
template<IsBare T>
Json toJson(const T&, JsonContext&) {
    return Json::object();
}
template<IsBare T>
void fromJson(const Json&, T&, JsonContext&) {}

/// Only whether there is one: serve puts one in its place that asks the other side.
template<typename Answer, typename Question>
Json toJson(const std::function<Answer(Question)>& handler, JsonContext&) {
    return handler != nullptr;
}
template<typename Answer, typename Question>
void fromJson(const Json& json, std::function<Answer(Question)>& handler, JsonContext& context) {
    bool isThere = false;
    fromJson(json, isThere, context);
    handler = nullptr;
    if (isThere) {
        handler = [](const Question&) { return Answer(); };
    }
}

/// Shared values are written where they are.
template<typename T>
requires(!StaysBehind<std::shared_ptr<const T>>) Json
    toJson(const std::shared_ptr<const T>& value, JsonContext& context) {
    return value ? toJson(*value, context) : Json(nullptr);
}
template<typename T>
requires(!StaysBehind<std::shared_ptr<const T>>) void fromJson(const Json& json,
                                                               std::shared_ptr<const T>& value,
                                                               JsonContext& context) {
    value = nullptr;
    if (!json.is_null()) {
        T read{};
        fromJson(json, read, context);
        value = std::make_shared<const T>(std::move(read));
    }
}

} // namespace aotscope::aot::detail

namespace aotscope::remote {

/// Graphs that both sides have: they are not sent, and what is read refers to the very same object. The first
/// one is the graph whose nodes a RunSnapshot or ReferenceSnapshot names.
using KnownGraphs = std::vector<ir::GraphPtr>;

/// Levels of nesting that a body may have.
inline constexpr std::size_t mostNesting = 64;

/// The first message of an engine.
struct Hello {
    std::uint32_t version = 0;
};
AOTSCOPE_MEMBERS(Hello, version)

/// Why a call failed.
struct Failure {
    base::Error error;
};
AOTSCOPE_MEMBERS(Failure, error)

namespace detail {

using aot::detail::Json;
using aot::detail::JsonContext;

/// What reads or writes the one value of a message: the rest is the same for all types and compiled once.
using ReadValue = std::function<void(const Json&, JsonContext&)>;
using WriteValue = std::function<Json(JsonContext&)>;
[[nodiscard]] base::Result<void> decodeWith(std::string_view body, const KnownGraphs& known,
                                            KnownGraphs* sent, const ReadValue& readValue);
[[nodiscard]] std::string encodeWith(const KnownGraphs& known, KnownGraphs* sent,
                                     const WriteValue& writeValue);

} // namespace detail

/// Left out, because they are set where the value is received: the described graphs of snapshots and pauses.
/// `sent` receives the graphs in the body: both sides know them from then on.
template<typename T>
[[nodiscard]] std::string encode(const T& value, const KnownGraphs& known = {}, KnownGraphs* sent = nullptr) {
    return detail::encodeWith(known, sent, [&](detail::JsonContext& context) {
        using aot::detail::toJson;
        return toJson(value, context);
    });
}

/// Reads what `encode` wrote with the same known graphs. Errors: remote.malformed (names the field or the
/// position), and those of the graphs and metadata inside.
template<typename T>
[[nodiscard]] base::Result<T> decode(std::string_view body, const KnownGraphs& known = {},
                                     KnownGraphs* sent = nullptr) {
    T value{};
    const auto read =
        detail::decodeWith(body, known, sent, [&](const detail::Json& json, detail::JsonContext& context) {
            using aot::detail::fromJson;
            fromJson(json, value, context);
        });
    if (!read) {
        return read.error();
    }
    return value;
}

} // namespace aotscope::remote
