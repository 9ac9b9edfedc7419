#pragma once

#include "session/retrace_snapshot.h"

#include "load/compile_id.h"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

namespace aotscope::session {

/// Writes records in the format of `TORCH_TRACE` logs: a header line with a JSON envelope, and the payload
/// behind tabs with its md5 in the envelope. What it writes opens in this program and in tlparse.
class TraceLogWriter {
public:
    /// The stream outlives the writer; whether writing went well is asked of it.
    explicit TraceLogWriter(std::ostream& out) : m_out(out) {}

    /// One record. `facts` is the JSON that stands under `key` ("{}" where the payload is all); an empty id
    /// writes none.
    void record(const load::CompileId& id, std::string_view key, std::string_view facts,
                std::optional<std::string_view> payload = std::nullopt);
    /// An `artifact` record of that name with a text as payload.
    void artifact(const load::CompileId& id, std::string_view name, std::string_view payload);
    /// A record as another log has it (its whole envelope, without payload).
    void copied(std::string_view envelope);

private:
    void header();

    std::ostream& m_out;
};

/// Writes a compile that was traced here as PyTorch would have logged it: what Dynamo said of it (copied from
/// `source`, where that is a trace log, so that the written log can be traced again), Dynamo's graph, the
/// joint or inference graph, metadata, the halves that `function` has, and how it ended.
void writeRetraced(TraceLogWriter& writer, const RetraceSnapshot& snapshot, const LogSnapshot* source,
                   const aot::CompiledFunction& function);

/// Writes the strings that `source`'s stacks refer to; once per written log, before its compiles.
void writeStrings(TraceLogWriter& writer, const LogSnapshot& source);

} // namespace aotscope::session
