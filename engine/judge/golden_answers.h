#pragma once

#include "base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace aotscope::judge {

/// AOTAutograd's results for a unit of a golden file, besides its graphs.
struct GoldenAnswers {
    /// `fw_metadata` as JSON text; empty: none.
    std::string metadata;
    /// The same after the partition, by partitioner ("default", "min_cut").
    std::map<std::string, std::string> partitionMetadata;
};

/// The answers of a unit ("units/0"). Errors: session.open, session.no_such_artifact.
[[nodiscard]] base::Result<GoldenAnswers> readGoldenAnswers(const std::filesystem::path& path,
                                                            std::string_view unit);

} // namespace aotscope::judge
