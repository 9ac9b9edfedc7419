#include "load/file_bytes.h"

#include "load/unpack.h"

#include "base/file_place.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace aotscope::load {

namespace {

// Up to this size a copy is cheaper than a mapping, and safe if the file is rewritten.
constexpr std::size_t copyLimit = 4U << 20U;

base::Error openError(const std::filesystem::path& path, const std::string& why) {
    return {.code = "load.open",
            .message = "The file cannot be opened: " + why,
            .place = base::filePlace(path),
            .hint = "Check the path and that you may read it."};
}

FileIdentity identityFrom(const struct stat& info) {
    return {.device = info.st_dev,
            .inode = info.st_ino,
            .size = static_cast<std::uint64_t>(info.st_size),
            .modifiedNanoseconds = info.st_mtim.tv_sec * 1'000'000'000LL + info.st_mtim.tv_nsec};
}

} // namespace

base::Result<std::shared_ptr<const FileBytes>>
FileBytes::open(const std::filesystem::path& path, std::uint64_t maxUnpacked, base::Progress& progress) {
    auto file = std::make_shared<FileBytes>();
    AOTSCOPE_CHECK(file->load(path, maxUnpacked, progress));
    return std::shared_ptr<const FileBytes>(std::move(file));
}

FileIdentity FileBytes::identityOf(const std::filesystem::path& path) {
    struct stat info = {};
    return ::stat(path.c_str(), &info) == 0 ? identityFrom(info) : FileIdentity{};
}

FileBytes::~FileBytes() {
    m_guard.reset();
    if (m_mapped) {
        // munmap takes a pointer to non-const although the pages are read-only.
        ::munmap(const_cast<char*>(m_bytes.data()), m_bytes.size()); // NOLINT
    }
}

base::Result<void> FileBytes::load(const std::filesystem::path& path, std::uint64_t maxUnpacked,
                                   base::Progress& progress) {
    // O_NONBLOCK: opening a named pipe must not wait for a writer.
    m_file = base::FileHandle(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat info = {};
    if (m_file.get() < 0 || ::fstat(m_file.get(), &info) != 0) {
        return openError(path, std::strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return openError(path, S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a regular file");
    }
    m_identity = identityFrom(info);
    auto size = static_cast<std::size_t>(info.st_size);
    if (const Compression compression = compressionOf(m_file.get()); compression != Compression::None) {
        auto unpacked = unpackFile(m_file.get(), compression, size, maxUnpacked, progress);
        if (!unpacked) {
            unpacked.error().place.file = path.string();
            return std::move(unpacked).error();
        }
        m_file = std::move(unpacked->file);
        size = unpacked->size;
        m_damage = unpacked->damage;
        m_compressed = true;
    }
    auto done = size <= copyLimit ? copy(size) : map(size);
    return done ? base::Result<void>() : openError(path, done.error().message);
}

base::Result<void> FileBytes::copy(std::size_t size) {
    m_owned.resize(size);
    std::size_t done = 0;
    while (done < size) {
        const ssize_t got =
            ::pread(m_file.get(), m_owned.data() + done, size - done, static_cast<off_t>(done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return base::Error{.code = "load.open", .message = std::strerror(errno)};
        }
        if (got == 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    m_owned.resize(done);
    m_bytes = m_owned;
    m_file.close();
    return {};
}

base::Result<void> FileBytes::map(std::size_t size) {
    void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, m_file.get(), 0);
    if (address == MAP_FAILED) {
        return base::Error{.code = "load.open", .message = std::strerror(errno)};
    }
    ::madvise(address, size, MADV_SEQUENTIAL);
    m_mapped = true;
    m_guard = std::make_unique<const MappingGuard>(address, size);
    m_bytes = {static_cast<const char*>(address), size};
    return {};
}

bool FileBytes::intact() const {
    if (!m_mapped) {
        return true;
    }
    struct stat info = {};
    return !m_guard->isCut() && ::fstat(m_file.get(), &info) == 0 &&
           static_cast<std::size_t>(info.st_size) >= m_bytes.size();
}

void FileBytes::prepare(std::size_t begin, std::size_t end) const {
#ifdef MADV_POPULATE_READ
    advise(begin, end, MADV_POPULATE_READ);
#else
    (void)begin;
    (void)end;
#endif
}

void FileBytes::release(std::size_t begin, std::size_t end) const {
    advise(begin, end, MADV_DONTNEED);
}

/// Applies `advice` to the whole pages inside a range.
void FileBytes::advise(std::size_t begin, std::size_t end, int advice) const {
    if (!m_mapped) {
        return;
    }
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    begin = (begin + page - 1) / page * page;
    end = end / page * page;
    if (begin < end) {
        ::madvise(const_cast<char*>(m_bytes.data()) + begin, end - begin, advice); // NOLINT
    }
}

} // namespace aotscope::load
