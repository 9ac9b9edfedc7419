#pragma once

#include "load/file_bytes.h"
#include "load/log_index.h"
#include "load/payload_text.h"
#include "load/trace_log.h"

#include <memory>

namespace aotscope::load {

struct TraceLog::State {
    std::filesystem::path path;
    std::shared_ptr<const FileBytes> file;
    LogIndex index;
    std::optional<std::int32_t> rank;
    ReadOptions options;

    [[nodiscard]] bool holds(RecordId id) const { return id.valid() && id.index() < index.recordCount(); }
    /// A record's text; empty when the file was cut short since.
    [[nodiscard]] RecordText record(RecordId id) const;
};

} // namespace aotscope::load
