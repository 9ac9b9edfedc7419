#pragma once

#include "contract/retrace_snapshot.h"

#include "aot/compiled_function.h"
#include "load/artifact_list.h"
#include "load/compile_id.h"

#include <iosfwd>
#include <optional>
#include <string_view>

namespace aotscope::session {

/// Writes records in the format of `TORCH_TRACE` logs: a header line with a JSON envelope, then the
/// tab-indented payload with its md5 in the envelope. This program and tlparse can read the result. Follows
/// torch 2.11, torch/_logging/_internal.py: trace_structured.
class TraceLogWriter {
public:
    /// `out` must outlive the writer. Check the stream for write errors.
    explicit TraceLogWriter(std::ostream& out) : m_out(out) {}

    /// Writes one record. `facts` is the JSON value of its key ("{}" if there is only a payload). An empty id
    /// is not written.
    void record(const load::CompileId& id, load::RecordKind kind, std::string_view facts,
                std::optional<std::string_view> payload = std::nullopt);
    /// Writes an `artifact` record with a text as payload.
    void artifact(const load::CompileId& id, std::string_view name, std::string_view payload);
    /// Copies a record from another log; `envelope` is its whole envelope. An empty payload: it has none.
    void copied(std::string_view envelope, std::string_view payload = {});

private:
    void header();
    void writePayload(std::string_view payload);

    std::ostream& m_out;
};

/// Writes a re-traced compile as PyTorch would log it: Dynamo's records (copied from `source` if that is a
/// trace log, so that the result can be traced again), Dynamo's graph, the joint or inference graph, the
/// halves before and after saved-tensors hooks, metadata, the halves, and how the compile ended. `function`
/// is what it ended as: split, or without halves.
void writeRetraced(TraceLogWriter& writer, const RetraceSnapshot& snapshot, const LogSnapshot* source,
                   const aot::CompiledFunction& function);

/// Writes the string table that `source`'s stacks refer to, and its release, whose rules then also apply to
/// the written log. Call once per written log, before any compile.
void writeStrings(TraceLogWriter& writer, const LogSnapshot& source);

} // namespace aotscope::session
