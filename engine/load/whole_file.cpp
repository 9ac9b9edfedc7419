#include "load/whole_file.h"

#include "load/file_bytes.h"
#include "load/unpack.h"

#include <fcntl.h>
#include <unistd.h>

namespace aotscope::load {

std::string readStart(const std::filesystem::path& path, std::size_t bytes) {
    const base::FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) {
        return {};
    }
    std::string start;
    if (const Compression compression = compressionOf(file.get()); compression != Compression::None) {
        start = unpackStart(file.get(), compression, bytes);
    } else {
        start.resize(bytes);
        const ssize_t got = ::pread(file.get(), start.data(), bytes, 0);
        start.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    }
    return start;
}

base::Result<std::string> readWhole(const std::filesystem::path& path, std::uint64_t maxBytes,
                                    base::Progress& progress) {
    const auto failed = [&](std::string code, std::string message) {
        return base::Error{.code = std::move(code),
                           .message = path.string() + ": " + std::move(message),
                           .place = {path.string(), 0, 0, {}}};
    };
    // The size is checked before the bytes are copied: opening only maps a large file.
    AOTSCOPE_TRY(file, FileBytes::open(path, maxBytes, progress));
    const FileBytes& opened = *file;
    if (opened.bytes().size() > maxBytes) {
        return failed("load.file_too_large", "the file is larger than " + std::to_string(maxBytes >> 20U) +
                                                 " MiB, the most such a file may have");
    }
    if (!opened.damage().empty()) {
        return failed("load.decompress", opened.damage());
    }
    std::string whole(opened.bytes());
    if (!opened.intact()) {
        return failed("load.open", "the file became shorter while it was read");
    }
    return whole;
}

} // namespace aotscope::load
