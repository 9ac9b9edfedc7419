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

/// `{"str": ["path", 3]}` defines `filename: 3` in the stacks that follow. Follows torch 2.11,
/// torch/_logging/structured.py: intern_string.
struct InternedString {
    std::int64_t index = -1;
    std::string text;
};

/// The innermost frame of dynamo_start's stack: the compiled function.
struct CompileStart {
    std::string function;
    /// Index in the string table; -1: none.
    std::int64_t file = -1;
    int line = 0;
};

/// The part of a metrics record that the compile tree needs. Follows torch 2.11, torch/_dynamo/utils.py:
/// CompilationMetrics.
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

/// What the index needs beyond the ids, for the few kinds of records that have it.
using EnvelopeFacts = std::variant<std::monostate, InternedString, CompileStart, MetricsFacts>;

/// Faults of an envelope, most severe first.
enum class EnvelopeFault : std::uint8_t { None, Json, TooLong, InvalidUtf8, FieldType };

/// The part of an envelope that the index needs. The views point into the line or into the reader. Follows
/// torch 2.11, torch/_logging/_internal.py: trace_structured.
struct Envelope {
    EnvelopeFault fault = EnvelopeFault::None;
    /// The faulty fields, or the JSON parser's message.
    std::string faultDetail;
    /// The event's key, and the name of an artifact.
    std::string_view key;
    std::string_view artifact;
    CompileId id;
    std::optional<std::int32_t> rank;
    bool hasPayload = false;
    /// The payload's MD5 digest as written in `has_payload`.
    std::string_view digest;
    EnvelopeFacts facts;

    /// Resets everything but keeps the memory.
    void clear();
};

/// Reads envelopes and reuses its buffers. Not thread-safe: use one per thread.
class EnvelopeReader {
public:
    EnvelopeReader();
    ~EnvelopeReader();
    EnvelopeReader(const EnvelopeReader&) = delete;
    EnvelopeReader& operator=(const EnvelopeReader&) = delete;

    /// The result is valid until the next call; its members may be moved from.
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
