#include "base/entry_folder.h"

#include "base/child_process.h"
#include "base/log.h"
#include "base/write_all.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace aotscope::base {

namespace {

constexpr std::string_view temporaryPrefix = ".new-";
constexpr std::size_t digits = 32;
/// More files than this are not looked at: the folder holds something else.
constexpr std::size_t mostFiles = 100'000;

/// The turn of one writer among all processes.
class WriteTurn {
public:
    explicit WriteTurn(const std::filesystem::path& folder)
        : m_file(::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
        constexpr int attempts = 500;
        constexpr std::chrono::milliseconds pause(10);
        for (int i = 0; m_file.get() >= 0 && !m_isHeld && i < attempts; ++i) {
            m_isHeld = ::flock(m_file.get(), LOCK_EX | LOCK_NB) == 0;
            if (!m_isHeld) {
                std::this_thread::sleep_for(pause);
            }
        }
    }
    [[nodiscard]] bool isHeld() const { return m_isHeld; }

private:
    FileHandle m_file;
    bool m_isHeld = false;
};

Error locked(const std::filesystem::path& folder) {
    return {.code = "cache.locked",
            .message =
                "Another process is writing to the cache's folder, or the folder cannot be written to.",
            .place = {folder.string(), 0, 0, {}}};
}

bool isHex(std::string_view text) {
    return text.size() == digits &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Calls `visit` for the names of the folder's files.
template<typename Visit>
void forEachFile(const std::filesystem::path& folder, Visit&& visit) {
    std::error_code none;
    std::size_t seen = 0;
    for (std::filesystem::directory_iterator at(folder, none), end; !none && at != end && seen < mostFiles;
         at.increment(none), ++seen) {
        visit(at->path());
    }
}

/// Only while holding the turn: what is being written by others is not there then.
void removeLeftovers(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> leftovers;
    forEachFile(folder, [&](const std::filesystem::path& path) {
        if (path.filename().string().starts_with(temporaryPrefix)) {
            leftovers.push_back(path);
        }
    });
    for (const std::filesystem::path& path : leftovers) {
        ::unlink(path.c_str());
    }
}

bool syncFolder(const std::filesystem::path& folder) {
    const FileHandle file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return file.get() >= 0 && ::fsync(file.get()) == 0;
}

} // namespace

Error EntryFolder::failed(const char* code, const std::string& what,
                          const std::filesystem::path& path) const {
    const int number = errno;
    return {.code = code,
            .message = what + ": " + std::strerror(number) + ".", // NOLINT(concurrency-mt-unsafe)
            .place = {path.string(), 0, 0, {}},
            .hint = m_options.hint};
}

Result<void> EntryFolder::makeFolder() const {
    const std::filesystem::path& folder = m_options.folder;
    std::error_code none;
    if (std::filesystem::is_directory(folder, none)) {
        return {};
    }
    std::filesystem::create_directories(folder, none);
    if (!std::filesystem::is_directory(folder, none)) {
        return failed("cache.write", "The cache's folder cannot be made", folder);
    }
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, none);
    return {};
}

bool EntryFolder::isEntryName(std::string_view name) const {
    const std::size_t length = m_options.digests * (digits + 1) - 1 + m_options.suffix.size();
    if (name.size() != length || !name.ends_with(m_options.suffix)) {
        return false;
    }
    for (std::size_t i = 0; i < m_options.digests; ++i) {
        const std::size_t begin = i * (digits + 1);
        if (!isHex(name.substr(begin, digits)) || (i > 0 && name[begin - 1] != '-')) {
            return false;
        }
    }
    return true;
}

std::vector<EntryFile> EntryFolder::list() const {
    std::vector<EntryFile> files;
    if (!isUsed()) {
        return files;
    }
    forEachFile(m_options.folder, [&](const std::filesystem::path& path) {
        std::string name = path.filename().string();
        struct stat facts = {};
        if (isEntryName(name) && ::lstat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) {
            files.push_back({std::move(name), static_cast<std::uint64_t>(facts.st_size),
                             facts.st_mtim.tv_sec * std::int64_t(1'000'000'000) + facts.st_mtim.tv_nsec});
        }
    });
    std::ranges::sort(files, {}, &EntryFile::name);
    return files;
}

Result<std::string> EntryFolder::read(const std::string& name) const {
    if (!isEntryName(name)) {
        return Error{.code = "cache.read", .message = "The entry's name is not made of digests."};
    }
    const std::filesystem::path path = m_options.folder / name;
    const FileHandle file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat facts = {};
    if (file.get() < 0 || ::fstat(file.get(), &facts) != 0) {
        return failed("cache.read", "The entry cannot be opened", path);
    }
    if (!S_ISREG(facts.st_mode)) {
        return Error{.code = "cache.read", .message = "The entry is not a regular file."};
    }
    if (static_cast<std::uint64_t>(facts.st_size) > m_options.mostEntryBytes) {
        return Error{.code = "cache.oversized",
                     .message = "The entry has " + std::to_string(facts.st_size) +
                                " bytes, more than an entry may have."};
    }
    std::string text(static_cast<std::size_t>(facts.st_size), '\0');
    std::size_t filled = 0;
    while (filled < text.size()) {
        const ::ssize_t count = ::read(file.get(), text.data() + filled, text.size() - filled);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count < 0) {
            return failed("cache.read", "The entry cannot be read", path);
        }
        if (count == 0) {
            break;
        }
        filled += static_cast<std::size_t>(count);
    }
    text.resize(filled);
    return text;
}

void EntryFolder::touch(const std::string& name) const {
    const std::filesystem::path path = m_options.folder / name;
    // The entry may be gone, or not ours to mark: it only looks older then.
    (void)::utimensat(AT_FDCWD, path.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

Result<void> EntryFolder::write(const std::string& name, std::string_view text) const {
    if (!isEntryName(name)) {
        return Error{.code = "cache.write", .message = "The entry's name is not made of digests."};
    }
    if (text.size() > std::min(m_options.mostEntryBytes, m_options.mostBytes)) {
        return Error{.code = "cache.oversized",
                     .message = "The entry has " + std::to_string(text.size()) +
                                " bytes, more than the cache may hold."};
    }
    const std::filesystem::path& folder = m_options.folder;
    AOTSCOPE_CHECK(makeFolder());
    const WriteTurn turn(folder);
    if (!turn.isHeld()) {
        return locked(folder);
    }
    removeLeftovers(folder);
    std::string temporary = (folder / (std::string(temporaryPrefix) + "XXXXXX")).string();
    {
        const FileHandle file(::mkostemp(temporary.data(), O_CLOEXEC));
        if (file.get() < 0) {
            return failed("cache.write", "A file cannot be made in the cache's folder", folder);
        }
        if (!writeAll(file.get(), text) || ::fsync(file.get()) != 0) {
            Error error = failed("cache.write", "The entry cannot be written", temporary);
            ::unlink(temporary.c_str());
            return error;
        }
    }
    if (m_options.beforeRename) {
        m_options.beforeRename();
    }
    if (::rename(temporary.c_str(), (folder / name).c_str()) != 0) {
        Error error = failed("cache.write", "The entry cannot be given its name", folder);
        ::unlink(temporary.c_str());
        return error;
    }
    if (!syncFolder(folder)) {
        logWarning("aotscope.cache", "the cache's folder cannot be flushed to the disk");
    }
    evict(name);
    return {};
}

/// Only while holding the turn.
void EntryFolder::evict(const std::string& kept) const {
    std::vector<EntryFile> files = list();
    std::ranges::stable_sort(files, {}, &EntryFile::usedNanoseconds);
    std::uint64_t bytes = 0;
    for (const EntryFile& file : files) {
        bytes += file.bytes;
    }
    for (const EntryFile& file : files) {
        if (bytes <= m_options.mostBytes) {
            break;
        }
        if (file.name != kept && ::unlink((m_options.folder / file.name).c_str()) == 0) {
            bytes -= file.bytes;
        }
    }
}

Result<std::size_t> EntryFolder::clear() const {
    std::error_code none;
    if (!isUsed() || !std::filesystem::is_directory(m_options.folder, none)) {
        return std::size_t(0);
    }
    const WriteTurn turn(m_options.folder);
    if (!turn.isHeld()) {
        return locked(m_options.folder);
    }
    removeLeftovers(m_options.folder);
    std::size_t removed = 0;
    for (const EntryFile& file : list()) {
        const std::filesystem::path path = m_options.folder / file.name;
        if (::unlink(path.c_str()) == 0) {
            ++removed;
        } else if (errno != ENOENT) {
            return failed("cache.write", "An entry cannot be removed", path);
        }
    }
    return removed;
}

std::filesystem::path userCacheFolder(std::string_view name) {
    // The environment is set before the program starts threads.
    const char* cache = std::getenv("XDG_CACHE_HOME"); // NOLINT(concurrency-mt-unsafe)
    if (cache != nullptr && *cache == '/') {
        return std::filesystem::path(cache) / "aotscope" / name;
    }
    const char* home = std::getenv("HOME"); // NOLINT(concurrency-mt-unsafe)
    return home != nullptr && *home == '/' ? std::filesystem::path(home) / ".cache" / "aotscope" / name
                                           : std::filesystem::path();
}

} // namespace aotscope::base
