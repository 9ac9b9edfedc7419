#pragma once

#include "load/mapping_guard.h"

#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace aotscope::load {

/// How a file is told from another one that took its name.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modifiedNanoseconds = 0;
    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// The content of a file as one run of bytes. A small file is copied, so that it cannot change under its
/// reader; a large one is mapped; a compressed one is unpacked into a file without a name, and that is
/// mapped.
///
/// Of a mapped file that another program cuts short the missing bytes read as zeros, and `intact` says so:
/// ask it after reading what must be right. PyTorch only ever appends to its logs.
class FileBytes {
public:
    /// Errors: load.open, load.decompress, session.canceled. `maxUnpacked` bounds what a compressed file may
    /// become. A compressed file that ends too early or is damaged gives what could be unpacked and says so
    /// in `damage()`.
    [[nodiscard]] static base::Result<std::shared_ptr<const FileBytes>>
    open(const std::filesystem::path& path, std::uint64_t maxUnpacked, base::Progress& progress);

    /// What lies under `path` now; empty when there is nothing.
    [[nodiscard]] static FileIdentity identityOf(const std::filesystem::path& path);

    FileBytes() = default;
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;
    ~FileBytes();

    [[nodiscard]] std::string_view bytes() const { return m_bytes; }
    /// Whether everything behind `bytes` has been there until now.
    [[nodiscard]] bool intact() const;
    /// Maps the pages of a range at once rather than a few at each first touch; a hint, which old kernels
    /// ignore.
    void prepare(std::size_t begin, std::size_t end) const;
    /// Lets the kernel take back the pages of a range that was read once.
    void release(std::size_t begin, std::size_t end) const;
    [[nodiscard]] bool compressed() const { return m_compressed; }
    /// Why unpacking ended early; empty when it didn't.
    [[nodiscard]] const std::string& damage() const { return m_damage; }
    /// Of the file as it was opened (the compressed one).
    [[nodiscard]] const FileIdentity& identity() const { return m_identity; }

private:
    base::Result<void> load(const std::filesystem::path& path, std::uint64_t maxUnpacked,
                            base::Progress& progress);
    base::Result<void> copy(std::size_t size);
    base::Result<void> map(std::size_t size);
    void advise(std::size_t begin, std::size_t end, int advice) const;

    int m_file = -1;
    bool m_mapped = false;
    std::unique_ptr<const MappingGuard> m_guard;
    bool m_compressed = false;
    std::string m_owned;
    std::string_view m_bytes;
    std::string m_damage;
    FileIdentity m_identity;
};

} // namespace aotscope::load
