#pragma once

#include "inductor/output_code.h"
#include "load/trace_log.h"

#include "support/corpus.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::test {

inline std::filesystem::path recordedLog(const std::string& name) {
    return std::filesystem::path(AOTSCOPE_TEST_DIR) / "inductor" / "records" / (name + ".log.xz");
}

/// The text of every inductor_output_code record of a log, in order.
inline std::vector<std::string> outputCodes(const std::filesystem::path& path) {
    std::vector<std::string> codes;
    const auto log = load::TraceLog::read(path);
    if (log) {
        for (std::uint32_t record = 0; record < (*log)->recordCount(); ++record) {
            if ((*log)->kind(load::RecordId(record)) == load::RecordKind::InductorOutputCode) {
                codes.push_back((*log)->payload(load::RecordId(record)));
            }
        }
    }
    return codes;
}

inline std::filesystem::path recordedMapping(const std::string& name) {
    return std::filesystem::path(AOTSCOPE_TEST_DIR) / "inductor" / "records" / (name + ".mapping.json");
}

} // namespace aotscope::test
