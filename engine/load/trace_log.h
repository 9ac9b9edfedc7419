#pragma once

#include "load/artifact_list.h"
#include "load/compile_id.h"

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

/// PyTorch's structured trace log (`TORCH_TRACE`): one header line with a JSON envelope per record, payload
/// lines behind a tab. Read in one pass over a memory map into an index of a few bytes per record; envelopes
/// and payloads are decoded only when looked at.
namespace aotscope::load {

/// State of a payload's md5 against its envelope; `NotChecked` until asked.
enum class PayloadState : std::uint8_t { None, NotChecked, Good, GoodAfterLineEndings, Bad };

/// One bad record or line: counted once, the rest loads. Codes: load.noise_line, load.header_json,
/// load.payload_without_header, load.payload_missing, load.payload_truncated, load.payload_md5,
/// load.field_type, load.string_index, load.invalid_utf8, load.line_too_long, load.other_rank, …
struct LogProblem {
    std::string code;
    std::string message;
    /// 1-based.
    std::size_t line = 0;
    std::optional<RecordId> record = std::nullopt;
};

/// One frame of a recorded stack, interned file names resolved.
struct StackFrame {
    std::string file;
    int line = 0;
    std::string function;
    std::string code;
};

enum class CompileStatus : std::uint8_t {
    /// No sign of an end in the log (still running, or cut).
    Unfinished,
    Succeeded,
    Failed,
    Restarted,
    /// Dynamo found nothing to compile (no graph).
    Empty,
};
enum class CacheState : std::uint8_t { Unknown, Hit, Miss, Bypass };

/// One compile attempt: the row of the compile tree. Values not in the log are empty.
struct Compile {
    CompileId id;
    /// Only where the log mixes ranks, and this compile is of another one than the log.
    std::optional<std::int32_t> rank;
    CompileStatus status = CompileStatus::Unfinished;
    /// Failure type and reason, restart reason, or graph break reason, in PyTorch's words.
    std::string reason;
    CacheState cache = CacheState::Unknown;
    /// Name of the compiled function and where it is ("forward", "model.py", 118).
    std::string function;
    std::string file;
    int line = 0;
    /// Seconds from compilation_metrics (`entire_frame_compile_time_s` or its _us successor).
    std::optional<double> seconds;
    /// Guards, graph ops, … as compilation_metrics has them; the whole record is `metrics`.
    std::optional<std::int64_t> guardCount;
    std::optional<std::int64_t> graphNodeCount;
    std::optional<RecordId> metrics;
    std::vector<std::string> recompileReasons;
    /// Why Dynamo had to end a graph in this attempt.
    std::vector<std::string> graphBreaks;
    /// The user's line at which the compile failed, where PyTorch knows it.
    std::string failFile;
    int failLine = 0;
    /// Seconds of the backward's own compile (`bwd_compilation_metrics`).
    std::optional<double> backwardSeconds;
    /// Every record of the compile in file order.
    std::vector<RecordId> records;
};

/// A graph input as describe_tensor has it: what the user passed, before it became a placeholder.
struct InputTensor {
    /// Dynamo's source, as in `inputSources`; "" where unknown.
    std::string source;
    /// Placeholder of the Dynamo graph, as its text writes it.
    std::string placeholder;
    /// False when the log says nothing of it: a symbol, or a tensor that wasn't described.
    bool described = false;
    /// As Python writes them: "torch.float32", "device(type='cpu')".
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
    /// The class of a tensor subclass, else empty.
    std::string subclass;
    /// What it is a view of; null when it is no view, or its base isn't described.
    std::shared_ptr<const InputTensor> base;
};

/// Counts for the summary of a log.
struct LogTotals {
    std::uint64_t bytes = 0;
    std::uint64_t lines = 0;
    std::uint64_t records = 0;
    std::uint64_t payloads = 0;
    std::uint64_t problems = 0;
    /// Name of every kind met and how often, most frequent first.
    std::vector<std::pair<std::string, std::uint64_t>> kinds;
    /// Version of torch that wrote the log, where it says so.
    std::string torchVersion;
};

struct ReadOptions {
    /// Verify the md5 of every payload while reading.
    bool verifyPayloads = false;
    /// A compressed file that unpacks to more is refused.
    std::uint64_t maxUnpackedBytes = 8ULL << 30U;
    /// Called with a snapshot of what is read so far, now and then (first after the first few MB), so that
    /// rows appear before the end of the read.
    std::function<void(std::shared_ptr<const class TraceLog>)> onPartial;
};

/// A payload with its tabs removed, and whether its md5 is true of it.
struct CheckedPayload {
    std::string text;
    PayloadState state = PayloadState::None;
};

/// A log as read so far: immutable, thread-safe, cheap to hold. Accessors that decode do so at each call. A
/// record that isn't of this log has no kind, no text and no payload; of a file that was cut short since,
/// only the index is left.
class TraceLog {
public:
    /// Opens and reads one file (plain, .gz or .xz by content). Errors: load.open, load.not_a_trace_log,
    /// load.decompress, session.canceled. A file with bad records is no error: see problems().
    [[nodiscard]] static base::Result<std::shared_ptr<const TraceLog>>
    read(const std::filesystem::path& path, const ReadOptions& options = {}, base::Progress progress = {});

    /// Reads what was appended to the file since `previous` was read; `previous` itself when nothing was. A
    /// file that shrank or was replaced is read anew. For following a log that is still being written.
    [[nodiscard]] static base::Result<std::shared_ptr<const TraceLog>>
    readAppended(const std::shared_ptr<const TraceLog>& previous, base::Progress progress = {});

    [[nodiscard]] const std::filesystem::path& path() const;
    /// Bytes of the file as it lay there when it was opened: packed where it is.
    [[nodiscard]] std::uint64_t fileSize() const;
    /// From the file name or the records; empty in a single-process log.
    [[nodiscard]] std::optional<std::int32_t> rank() const;
    [[nodiscard]] const LogTotals& totals() const;
    [[nodiscard]] std::span<const LogProblem> problems() const;

    [[nodiscard]] std::span<const Compile> compiles() const;
    [[nodiscard]] const Compile& compile(CompileIndex index) const;
    /// `rank` as in Compile::rank; without one the log's own compile is meant, or else the only one there is.
    [[nodiscard]] std::optional<CompileIndex> tryFindCompile(const CompileId& id,
                                                             std::optional<std::int32_t> rank = {}) const;
    /// The attempt that followed, of the same frame and rank. A row without ids has none, so that following
    /// attempts ends in every file.
    [[nodiscard]] std::optional<CompileIndex> tryNextAttempt(CompileIndex index) const;
    /// Graphs, code and other payloads of one compile, in file order. Listed at the first look and kept as
    /// long as the log: a compile of a whole log's records takes its time once.
    [[nodiscard]] const ArtifactList& artifacts(CompileIndex index) const;
    /// As ArtifactList::tryFind.
    [[nodiscard]] std::optional<Artifact> tryFindArtifact(CompileIndex index, std::string_view name) const;
    /// Lists the artifacts of the compiles that hold very many records, so that nobody who must not wait is
    /// the first to look. Ends early when stopped.
    void listLargeCompiles(const base::Progress& progress) const;

    [[nodiscard]] std::size_t recordCount() const;
    [[nodiscard]] RecordKind kind(RecordId record) const;
    /// The envelope key ("aot_joint_graph", "artifact", an unknown key as written).
    [[nodiscard]] std::string kindName(RecordId record) const;
    /// The artifact's name where the record is one, else empty.
    [[nodiscard]] std::string artifactName(RecordId record) const;
    [[nodiscard]] CompileIndex compileOf(RecordId record) const;
    /// 1-based line of the header.
    [[nodiscard]] std::size_t lineOf(RecordId record) const;
    /// The thread that wrote the record, as its header has it ("V1121 00:13:53.385000 888578 …"): the main
    /// thread of a process has the process's number. Empty where there is none.
    [[nodiscard]] std::string thread(RecordId record) const;
    /// The envelope's JSON text.
    [[nodiscard]] std::string envelope(RecordId record) const;
    [[nodiscard]] bool hasPayload(RecordId record) const;
    /// The payload with its tabs removed; empty when there is none.
    [[nodiscard]] std::string payload(RecordId record) const;
    [[nodiscard]] PayloadState verifyPayload(RecordId record) const;
    /// Both at once, of a payload of any size. Error: session.canceled.
    [[nodiscard]] base::Result<CheckedPayload> checkedPayload(RecordId record,
                                                              base::Progress& progress) const;
    /// A stack found in the record's envelope (`stack`, dynamo_start's, user_stack); empty when none.
    [[nodiscard]] std::vector<StackFrame> stack(RecordId record) const;

    /// Dynamo sources of a compile's graph inputs in placeholder order of its Dynamo graph, from
    /// describe_source and the graph; "" where unknown.
    [[nodiscard]] std::vector<std::string> inputSources(CompileIndex index) const;
    /// The same inputs with what is known of each. A compile may hold several Dynamo graphs: a program that
    /// resets Dynamo counts from 0/0 again. `graph` is the one that is meant, else the last; what was
    /// described for the others is left out, and what AOTAutograd described once it had the graph.
    [[nodiscard]] std::vector<InputTensor> inputTensors(CompileIndex index,
                                                        std::optional<RecordId> graph = {}) const;
    /// Every tensor that was described while the compile ran, in the order Dynamo met them, with its source;
    /// the placeholder is left empty. `graph` as above, without it all of them.
    [[nodiscard]] std::vector<InputTensor> describedTensors(CompileIndex index,
                                                            std::optional<RecordId> graph = {}) const;
    /// The symbols that were made while the compile ran, from create_symbol, in order; `graph` as for
    /// describedTensors.
    struct LoggedSymbol {
        std::string symbol;
        /// The example it was made for.
        std::int64_t value = 0;
        /// What it is the size or value of, as Dynamo writes sources.
        std::string source;
    };
    [[nodiscard]] std::vector<LoggedSymbol> loggedSymbols(CompileIndex index,
                                                          std::optional<RecordId> graph = {}) const;
    /// Example values of the compile's symbols, from create_symbol; `graph` as for describedTensors.
    [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>>
    symbolValues(CompileIndex index, std::optional<RecordId> graph = {}) const;
    /// The records of one Dynamo graph of a compile: those that Dynamo wrote on its way to it (`graph` is the
    /// last of them), and those up to the next graph. Empty where the compile has no such graph.
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
