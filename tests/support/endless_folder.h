#pragma once

#include "support/temp_folder.h"

#include <filesystem>
#include <string>

namespace aotscope::test {

/// A folder that takes seconds to list and many minutes to read: one packed log under very many names. Work
/// on it ends only when it is canceled.
class EndlessFolder {
public:
    EndlessFolder() {
        const std::filesystem::path first = m_folder.path() / "0.log.xz";
        std::filesystem::copy_file(
            std::filesystem::path(AOTSCOPE_SOURCE_DIR) / "tests/golden/packs/language_models.log.xz", first);
        // Most file systems allow 65,000 links to a file.
        for (int i = 1; i < 50'000; ++i) {
            std::filesystem::create_hard_link(first, m_folder.path() / (std::to_string(i) + ".log.xz"));
        }
    }

    [[nodiscard]] const std::filesystem::path& path() const { return m_folder.path(); }

private:
    TempFolder m_folder;
};

} // namespace aotscope::test
