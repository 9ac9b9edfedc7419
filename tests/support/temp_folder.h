#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace aotscope::test {

/// A new temporary folder, removed by the destructor.
class TempFolder {
public:
    TempFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "aotscope-test-XXXXXX").string();
        if (!::mkdtemp(name.data())) {
            throw std::runtime_error("no temporary folder");
        }
        m_path = name;
    }
    ~TempFolder() {
        std::error_code failed;
        std::filesystem::remove_all(m_path, failed);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    std::filesystem::path write(const std::string& name, std::string_view text) const {
        const std::filesystem::path file = m_path / name;
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }

private:
    std::filesystem::path m_path;
};

} // namespace aotscope::test
