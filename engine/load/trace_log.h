#pragma once

#include "load/artifact_list.h"
#include "load/compile_id.h"

#include "base/describe.h"
#include "base/ids.h"
#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// PyTorch's structured log (`TORCH_TRACE`): per record a header line with a JSON envelope, and payload lines
/// that start with a tab. One pass over the mapped file builds an index of a few bytes per record; envelopes
/// and payloads are decoded on demand. Follows torch 2.11, torch/_logging/_internal.py: trace_structured,
/// TorchLogsFormatter, LazyTraceHandler.
namespace aotscope::load {

/// Whether a payload matches the MD5 digest in its envelope; GoodAfterLineEndings: without its carriage
/// returns.
enum class PayloadState : std::uint8_t { None, NotChecked, Good, GoodAfterLineEndings, Bad };
AOTSCOPE_WORDS(PayloadState, "none", "not_checked", "good", "good_after_line_endings", "bad")

/// One bad record or line; the rest of the log is loaded. Codes: load.noise_line, load.header_json,
/// load.payload_without_header, load.payload_missing, load.payload_truncated, load.payload_md5,
/// load.field_type, load.string_index, load.invalid_utf8, load.line_too_long, load.other_rank, …
struct LogProblem {
    std::string code;
    std::string message;
    /// 1-based.
    std::size_t line = 0;
    std::optional<RecordId> record = std::nullopt;
};
AOTSCOPE_MEMBERS(LogProblem, code, message, line, record)

/// One frame of a recorded stack, with the interned file name resolved.
struct StackFrame {
    std::string file;
    int line = 0;
    std::string function;
    std::string code;
};
AOTSCOPE_MEMBERS(StackFrame, file, line, function, code)

enum class CompileStatus : std::uint8_t {
    /// The log has no sign of the compile's end (it is still running, or the log is truncated).
    Unfinished,
    Succeeded,
    Failed,
    Restarted,
    /// Dynamo found nothing to compile (no graph).
    Empty,
    /// torch.export without Dynamo: the log has no record of its end or of its result.
    Ended,
};
AOTSCOPE_WORDS(CompileStatus, "unfinished", "ok", "failed", "restarted", "empty", "ended")
enum class CacheState : std::uint8_t { Unknown, Hit, Miss, Bypass };
AOTSCOPE_WORDS(CacheState, "", "hit", "miss", "bypass")

/// One compile attempt: a row of the compile tree. Values that are not in the log are empty.
struct Compile {
    CompileId id;
    /// Set only if the log mixes ranks and this compile's rank differs from the log's.
    std::optional<std::int32_t> rank;
    CompileStatus status = CompileStatus::Unfinished;
    /// Failure type and reason, restart reason, or graph break reason, in PyTorch's words.
    std::string reason;
    CacheState cache = CacheState::Unknown;
    /// Name and location of the compiled function ("forward", "model.py", 118).
    std::string function;
    std::string file;
    int line = 0;
    /// Compile time in seconds (compilation_metrics: `entire_frame_compile_time_s` or a successor).
    std::optional<double> seconds;
    /// From compilation_metrics; `metrics` is the whole record.
    std::optional<std::int64_t> guardCount;
    std::optional<std::int64_t> graphNodeCount;
    std::optional<RecordId> metrics;
    std::vector<std::string> recompileReasons;
    /// Reasons of the graph breaks in this attempt.
    std::vector<std::string> graphBreaks;
    /// The user's source line at which the compile failed, if PyTorch knows it.
    std::string failFile;
    int failLine = 0;
    /// Compile time of the backward in seconds, if compiled separately (`bwd_compilation_metrics`).
    std::optional<double> backwardSeconds;
    /// Every record of the compile in file order.
    std::vector<RecordId> records;
};
AOTSCOPE_MEMBERS(Compile, id, rank, status, reason, cache, function, file, line, seconds, guardCount,
                 graphNodeCount, metrics, recompileReasons, graphBreaks, failFile, failLine, backwardSeconds,
                 records)

/// "model.py:41", the line of the user's program at which a compile failed; empty: not known.
[[nodiscard]] std::string failurePlace(const Compile& compile);

/// A graph input as the user passed it, from describe_tensor. Follows torch 2.11,
/// torch/_subclasses/meta_utils.py: MetaTensorDescriber.describe_tensor, MetaStorageDesc.
struct InputTensor {
    /// Dynamo's source, as in `inputSources`; "": unknown.
    std::string source;
    /// Name of the placeholder in the text of the Dynamo graph.
    std::string placeholder;
    /// False: the log does not describe it (a symbol, or a tensor without describe_tensor).
    bool described = false;
    /// As Python prints them: "torch.float32", "device(type='cpu')".
    std::string dtype;
    std::string device;
    std::string layout;
    /// Integers, or expressions such as "4*j1".
    std::vector<std::string> sizes;
    std::vector<std::string> strides;
    std::string storageOffset;
    bool requiresGrad = false;
    bool isLeaf = false;
    bool isParameter = false;
    bool isView = false;
    /// Inputs with the same storage of the same describer alias each other; -1 when unknown.
    std::int64_t storage = -1;
    std::int64_t describer = -1;
    std::optional<std::int64_t> storageBytes;
    /// The class of a tensor subclass; empty: a plain tensor.
    std::string subclass;
    /// The tensor that this one is a view of; null: not a view, or the base is not described.
    std::shared_ptr<const InputTensor> base;
};

/// Counts for the summary of a log.
struct LogTotals {
    std::uint64_t bytes = 0;
    std::uint64_t lines = 0;
    std::uint64_t records = 0;
    std::uint64_t payloads = 0;
    std::uint64_t problems = 0;
    /// Name and number of every kind of record, most frequent first.
    std::vector<std::pair<std::string, std::uint64_t>> kinds;
    /// Version of the torch that wrote the log; empty: unknown.
    std::string torchVersion;
};
AOTSCOPE_MEMBERS(LogTotals, bytes, lines, records, payloads, problems, kinds, torchVersion)

struct ReadOptions {
    /// Whether to verify the MD5 digest of every payload while reading.
    bool verifyPayloads = false;
    /// A compressed file that unpacks to more bytes is rejected.
    std::uint64_t maxUnpackedBytes = 8ULL << 30U;
    /// Called from time to time with a snapshot of the part read so far (first after a few MB).
    std::function<void(std::shared_ptr<const class TraceLog>)> onPartial;
};

/// A payload without its tabs, and whether it matches its MD5 digest.
struct CheckedPayload {
    std::string text;
    PayloadState state = PayloadState::None;
};

/// The part of a log that was read: immutable and thread-safe. Accessors that decode do so at each call. A
/// record of another log has no kind, text or payload. If the file was truncated since, only the index
/// remains.
class TraceLog {
public:
    /// Opens and reads one file (plain, gz or xz, recognized by content). Errors: load.open,
    /// load.not_a_trace_log, load.decompress, session.canceled. Bad records are not errors; see problems().
    [[nodiscard]] static base::Result<std::shared_ptr<const TraceLog>>
    read(const std::filesystem::path& path, const ReadOptions& options = {}, base::Progress progress = {});

    /// Reads what was appended to the file since `previous` was read, to follow a growing log; returns
    /// `previous` if nothing changed. A file that shrank or was replaced is read again from the start.
    [[nodiscard]] static base::Result<std::shared_ptr<const TraceLog>>
    readAppended(const std::shared_ptr<const TraceLog>& previous, base::Progress progress = {});

    [[nodiscard]] const std::filesystem::path& path() const;
    /// Bytes of the file when it was opened, compressed if it is.
    [[nodiscard]] std::uint64_t fileSize() const;
    /// From the file name or the records; empty in a single-process log.
    [[nodiscard]] std::optional<std::int32_t> rank() const;
    [[nodiscard]] const LogTotals& totals() const;
    [[nodiscard]] std::span<const LogProblem> problems() const;

    [[nodiscard]] std::span<const Compile> compiles() const;
    [[nodiscard]] const Compile& compile(CompileIndex index) const;
    /// `rank` as in Compile::rank. Without it, the compile of the log's own rank, else the first of any rank.
    [[nodiscard]] std::optional<CompileIndex> tryFindCompile(const CompileId& id,
                                                             std::optional<std::int32_t> rank = {}) const;
    /// The next attempt of the same frame and rank; nothing: there is none, or the row has no ids.
    [[nodiscard]] std::optional<CompileIndex> tryNextAttempt(CompileIndex index) const;
    /// Graphs, code and other payloads of one compile, in file order. The list is built on first use and kept
    /// as long as the log, because a compile with very many records takes time.
    [[nodiscard]] const ArtifactList& artifacts(CompileIndex index) const;
    /// See ArtifactList::tryFind.
    [[nodiscard]] std::optional<Artifact> tryFindArtifact(CompileIndex index, std::string_view name) const;
    /// Builds the artifact lists of compiles with very many records in advance, so that the window's thread
    /// does not have to wait for them. Ends early when stopped.
    void listLargeCompiles(const base::Progress& progress) const;

    [[nodiscard]] std::size_t recordCount() const;
    [[nodiscard]] RecordKind kind(RecordId record) const;
    /// The envelope key ("aot_joint_graph", "artifact", an unknown key as written).
    [[nodiscard]] std::string kindName(RecordId record) const;
    /// The name of an artifact; empty for other records.
    [[nodiscard]] std::string artifactName(RecordId record) const;
    [[nodiscard]] CompileIndex compileOf(RecordId record) const;
    /// 1-based line of the header.
    [[nodiscard]] std::size_t lineOf(RecordId record) const;
    /// The thread that wrote the record, from its header ("V1121 00:13:53.385000 888578 …"); a main thread
    /// has the process's id. Empty: none.
    [[nodiscard]] std::string thread(RecordId record) const;
    /// The envelope's JSON text.
    [[nodiscard]] std::string envelope(RecordId record) const;
    [[nodiscard]] bool hasPayload(RecordId record) const;
    /// The payload without its tabs; empty: there is none.
    [[nodiscard]] std::string payload(RecordId record) const;
    /// The payload, compared with its digest, with progress for large ones. Error: session.canceled.
    [[nodiscard]] base::Result<CheckedPayload> checkedPayload(RecordId record,
                                                              base::Progress& progress) const;
    /// The stack in the record's envelope (`stack`, dynamo_start's, user_stack); empty: none.
    [[nodiscard]] std::vector<StackFrame> stack(RecordId record) const;

    /// Dynamo's sources of the inputs of a compile's last Dynamo graph in placeholder order, from
    /// describe_source and the graph; "": unknown.
    [[nodiscard]] std::vector<std::string> inputSources(CompileIndex index) const;
    /// These inputs with their descriptions. In a log without the records that start a compile, a row may
    /// have several Dynamo graphs. `graph` selects one of them, without it the last. Only descriptions that
    /// Dynamo wrote for that graph count, not those of other graphs or of AOTAutograd.
    [[nodiscard]] std::vector<InputTensor> inputTensors(CompileIndex index,
                                                        std::optional<RecordId> graph = {}) const;
    /// Every tensor that was described during the compile, in Dynamo's order, with its source but without its
    /// placeholder. `graph` restricts them to those of one Dynamo graph.
    [[nodiscard]] std::vector<InputTensor> describedTensors(CompileIndex index,
                                                            std::optional<RecordId> graph = {}) const;
    /// The symbols that were created during the compile, in order, from create_symbol (torch 2.11,
    /// torch/fx/experimental/symbolic_shapes.py: ShapeEnv.create_symbol). `graph` as for describedTensors.
    struct LoggedSymbol {
        std::string symbol;
        /// The example value it was created for.
        std::int64_t value = 0;
        /// Dynamo's source of the size or value that the symbol stands for.
        std::string source;
    };
    [[nodiscard]] std::vector<LoggedSymbol> loggedSymbols(CompileIndex index,
                                                          std::optional<RecordId> graph = {}) const;
    /// Example values of the compile's symbols, from create_symbol; `graph` as for describedTensors.
    [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>>
    symbolValues(CompileIndex index, std::optional<RecordId> graph = {}) const;
    /// The records of one Dynamo graph of a compile: `before` are those that Dynamo wrote for it, the last
    /// one is `graph`; `after` are those up to the next Dynamo graph. Empty: the compile has no such graph.
    struct GraphRecords {
        std::span<const RecordId> before;
        std::span<const RecordId> after;
    };
    [[nodiscard]] GraphRecords recordsOf(CompileIndex index, RecordId graph) const;

    TraceLog(const TraceLog&) = delete;
    TraceLog& operator=(const TraceLog&) = delete;
    ~TraceLog();

    struct State;
    explicit TraceLog(std::unique_ptr<const State> state);

private:
    std::unique_ptr<const State> m_state;
};

using TraceLogPtr = std::shared_ptr<const TraceLog>;

} // namespace aotscope::load
