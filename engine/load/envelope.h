#pragma once

#include "load/compile_id.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace aotscope::load {

/// `{"str": ["path", 3]}`: what a stack's `filename: 3` means from here on.
struct InternedString {
    std::int64_t index = -1;
    std::string text;
};

/// The innermost frame of dynamo_start's stack: the code that is compiled.
struct CompileStart {
    std::string function;
    /// In the string table; -1 for none.
    std::int64_t file = -1;
    int line = 0;
};

/// What the compile tree shows of a metrics record.
struct MetricsFacts {
    std::string function;
    std::string file;
    int line = 0;
    std::optional<double> seconds;
    std::optional<std::int64_t> guardCount;
    std::optional<std::int64_t> graphNodeCount;
    std::optional<std::int64_t> graphOpCount;
    std::string failType;
    std::string failReason;
    std::string failFile;
    int failLine = 0;
    std::vector<std::string> restartReasons;
    std::string recompileReason;
    std::string torchVersion;
    std::optional<bool> hasGuardedCode;
    bool forward = true;
};

/// What the index needs beyond the ids, for the few kinds that carry something.
using EnvelopeFacts = std::variant<std::monostate, InternedString, CompileStart, MetricsFacts>;

/// Faults of an envelope, worst first.
enum class EnvelopeFault : std::uint8_t { None, Json, TooLong, InvalidUtf8, FieldType };

/// One envelope as far as the index needs it. The views point into the line or into the reader.
struct Envelope {
    EnvelopeFault fault = EnvelopeFault::None;
    /// Which fields, or where the JSON breaks.
    std::string faultDetail;
    /// The event's key, and the artifact's name where it has one.
    std::string_view key;
    std::string_view artifact;
    CompileId id;
    std::optional<std::int32_t> rank;
    bool hasPayload = false;
    /// The payload's md5 as it is written.
    std::string_view digest;
    EnvelopeFacts facts;

    /// Back to an envelope of nothing, keeping its memory.
    void clear();
};

/// Reads envelopes; keeps its buffers from one to the next. One per thread.
class EnvelopeReader {
public:
    EnvelopeReader();
    ~EnvelopeReader();
    EnvelopeReader(const EnvelopeReader&) = delete;
    EnvelopeReader& operator=(const EnvelopeReader&) = delete;

    /// The result is valid until the next call; what it owns may be taken from it.
    Envelope& read(std::string_view json);

private:
    struct Parser;

    bool readCommon(std::string_view json);
    void readFully(std::string_view whole);
    std::string_view shortened(std::string_view json);
    void salvage(std::string_view json);

    std::unique_ptr<Parser> m_parser;
    Envelope m_envelope;
};

} // namespace aotscope::load
