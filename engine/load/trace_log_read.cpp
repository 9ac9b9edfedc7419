#include "load/file_bytes.h"
#include "load/log_folder.h"
#include "load/log_reader.h"
#include "load/trace_log.h"
#include "load/trace_log_state.h"

namespace aotscope::load {

namespace {

// The first snapshot follows the first piece, each further one when the bytes read have doubled, so that all
// snapshots together cost about as much as the last.
constexpr std::uint64_t firstSnapshot = 1;

base::Error notATraceLog(const std::filesystem::path& path) {
    return {.code = "load.not_a_trace_log",
            .message = "The file holds no record of a trace log.",
            .place = {path.string(), 0, 0, {}},
            .hint =
                "A trace log is what PyTorch writes into the folder named by TORCH_TRACE; its records begin "
                "like \"V1121 00:13:53.025000 22725 torch/…:1640] {\"."};
}

base::Result<std::unique_ptr<TraceLog::State>> opened(const std::filesystem::path& path,
                                                      const ReadOptions& options, base::Progress& progress) {
    AOTSCOPE_TRY(file, FileBytes::open(path, options.maxUnpackedBytes, progress));
    auto state = std::make_unique<TraceLog::State>();
    state->path = path;
    state->file = std::move(file);
    state->options = options;
    return state;
}

std::shared_ptr<const TraceLog> concluded(std::unique_ptr<TraceLog::State> state) {
    state->index.conclude(state->file->bytes());
    state->rank = rankInFileName(state->path);
    if (!state->rank) {
        state->rank = state->index.rank();
    }
    return std::make_shared<const TraceLog>(std::move(state));
}

/// Reads the file from byte `from` on into `state->index`.
base::Result<std::shared_ptr<const TraceLog>> readRest(std::unique_ptr<TraceLog::State> state,
                                                       std::uint64_t from, base::Progress& progress) {
    std::uint64_t nextSnapshot = firstSnapshot;
    const auto onJoined = [&](std::uint64_t done) {
        const std::uint64_t size = state->file->bytes().size();
        if (state->options.onPartial && done >= nextSnapshot && done < size &&
            state->index.recordCount() > 0) {
            auto snapshot = std::make_unique<TraceLog::State>(*state);
            snapshot->options.onPartial = nullptr;
            state->options.onPartial(concluded(std::move(snapshot)));
            nextSnapshot = done * 2;
        }
    };
    if (auto read = readInto(state->index, *state->file, from, onJoined, progress); !read) {
        base::Error error = std::move(read).error();
        error.place.file = state->path.string();
        return error;
    }
    if (state->index.recordCount() == 0 && !state->file->damage().empty()) {
        return base::Error{.code = "load.decompress",
                           .message = state->file->damage() + ", and what could be unpacked holds no record",
                           .place = {state->path.string(), 0, 0, {}},
                           .hint = "Copy the log again from where it was written."};
    }
    if (state->index.recordCount() == 0 && !state->file->bytes().empty()) {
        return notATraceLog(state->path);
    }
    if (!state->file->damage().empty()) {
        state->index.addProblem({"load.decompress", state->file->damage() + "; what was unpacked is shown",
                                 state->index.lineCount()});
    }
    if (state->options.verifyPayloads) {
        state->index.verifyPayloads(state->file->bytes(), progress);
    }
    state->options.onPartial = nullptr;
    return concluded(std::move(state));
}

} // namespace

base::Result<std::shared_ptr<const TraceLog>>
TraceLog::read(const std::filesystem::path& path, const ReadOptions& options, base::Progress progress) {
    AOTSCOPE_TRY(state, opened(path, options, progress));
    return readRest(std::move(state), 0, progress);
}

base::Result<std::shared_ptr<const TraceLog>>
TraceLog::readAppended(const std::shared_ptr<const TraceLog>& previous, base::Progress progress) {
    const State& old = *previous->m_state;
    const FileIdentity now = FileBytes::identityOf(old.path);
    const FileIdentity& then = old.file->identity();
    if (now == then) {
        return previous;
    }
    AOTSCOPE_TRY(state, opened(old.path, old.options, progress));
    state->options.onPartial = nullptr;
    const std::string_view text = state->file->bytes();
    std::uint64_t from = old.index.resumeOffset();
    bool grown = now.device == then.device && now.inode == then.inode && now.size >= then.size &&
                 state->file->identity().inode == then.inode && !state->file->compressed() &&
                 from <= text.size();
    if (grown && old.index.endsInsideLine() && from < text.size()) {
        // The last header was complete but for its line feed; if the line continues, it was not a header.
        grown = text[from] == '\n';
        ++from;
    }
    if (grown) {
        state->index = old.index;
    } else {
        from = 0;
    }
    return readRest(std::move(state), from, progress);
}

} // namespace aotscope::load
