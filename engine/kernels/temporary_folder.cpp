#include "kernels/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace aotscope::kernels {

base::Result<TemporaryFolder> TemporaryFolder::make() {
    std::error_code failed;
    const std::filesystem::path place = std::filesystem::temp_directory_path(failed);
    std::string name = (place / "aotscope-kernel-XXXXXX").string();
    if (failed || ::mkdtemp(name.data()) == nullptr) {
        const int number = errno;
        return base::Error{
            .code = "kernels.no_folder",
            .message = "No folder for temporary files could be made: " + std::string(std::strerror(number)) +
                       ".", // NOLINT(concurrency-mt-unsafe)
            .place = {place.string(), 0, 0, {}},
            .hint = "Set TMPDIR to a folder that can be written to."};
    }
    return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
    if (!m_path.empty()) {
        std::error_code failed;
        std::filesystem::remove_all(m_path, failed);
    }
}

} // namespace aotscope::kernels
