#pragma once

#include "base/result.h"

#include <filesystem>
#include <utility>

namespace aotscope::kernels {

/// A new folder in the folder of temporary files, for this user alone; removed with what it holds by the
/// destructor.
class TemporaryFolder {
public:
    /// Errors: kernels.no_folder.
    [[nodiscard]] static base::Result<TemporaryFolder> make();
    TemporaryFolder(TemporaryFolder&& other) noexcept : m_path(std::exchange(other.m_path, {})) {}
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
        std::swap(m_path, other.m_path);
        return *this;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder();

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }

private:
    explicit TemporaryFolder(std::filesystem::path path) : m_path(std::move(path)) {}

    std::filesystem::path m_path;
};

} // namespace aotscope::kernels
