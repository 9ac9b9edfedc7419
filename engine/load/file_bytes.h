#pragma once

#include "load/mapping_guard.h"

#include "base/child_process.h"
#include "base/progress.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace aotscope::load {

/// Identifies a file's content, to notice that it was replaced or changed.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint64_t size = 0;
    std::int64_t modifiedNanoseconds = 0;
    friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// The content of a file as contiguous bytes. A small file is copied, so that it cannot change while it is
/// read; a large one is mapped; a compressed one is unpacked into an unnamed temporary file, which is mapped.
///
/// If another program truncates a mapped file, the missing bytes read as zeros and `intact` returns false:
/// check it after reading. PyTorch only appends to its logs.
class FileBytes {
public:
    /// Errors: load.open, load.decompress, session.canceled. `maxUnpacked` bounds the unpacked size in bytes.
    /// From a damaged or truncated compressed file the part that can be unpacked is returned, and `damage()`
    /// is set.
    [[nodiscard]] static base::Result<std::shared_ptr<const FileBytes>>
    open(const std::filesystem::path& path, std::uint64_t maxUnpacked, base::Progress& progress);

    /// The identity of the file at `path`; default-constructed if there is none.
    [[nodiscard]] static FileIdentity identityOf(const std::filesystem::path& path);

    FileBytes() = default;
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;
    ~FileBytes();

    [[nodiscard]] std::string_view bytes() const { return m_bytes; }
    /// Whether no byte of a mapped file was found missing so far.
    [[nodiscard]] bool intact() const;
    /// Maps the pages of a range [begin, end) in one go instead of at first access; a hint that old kernels
    /// ignore.
    void prepare(std::size_t begin, std::size_t end) const;
    /// Lets the kernel reclaim the pages of a range that will not be read again soon.
    void release(std::size_t begin, std::size_t end) const;
    [[nodiscard]] bool compressed() const { return m_compressed; }
    /// Why unpacking ended early; empty: it did not.
    [[nodiscard]] const std::string& damage() const { return m_damage; }
    /// The identity of the opened (possibly compressed) file.
    [[nodiscard]] const FileIdentity& identity() const { return m_identity; }

private:
    base::Result<void> load(const std::filesystem::path& path, std::uint64_t maxUnpacked,
                            base::Progress& progress);
    base::Result<void> copy(std::size_t size);
    base::Result<void> map(std::size_t size);
    void advise(std::size_t begin, std::size_t end, int advice) const;

    base::FileHandle m_file;
    bool m_mapped = false;
    std::unique_ptr<const MappingGuard> m_guard;
    bool m_compressed = false;
    std::string m_owned;
    std::string_view m_bytes;
    std::string m_damage;
    FileIdentity m_identity;
};

} // namespace aotscope::load
