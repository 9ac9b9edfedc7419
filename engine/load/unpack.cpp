#include "load/unpack.h"

#include "base/write_all.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <utility>
#include <vector>

#ifdef AOTSCOPE_HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef AOTSCOPE_HAVE_LZMA
#include <lzma.h>
#endif

namespace aotscope::load {

namespace {

constexpr std::size_t unpackSize = 1U << 18U;
// Enough bytes for the dictionary of `xz -9`; the library rejects a header that asks for more.
[[maybe_unused]] constexpr std::uint64_t decoderMemory = 256U << 20U;

base::Error unpackError(std::string message, std::string hint = {}) {
    return {.code = "load.decompress", .message = std::move(message), .hint = std::move(hint)};
}

/// Makes a file that disappears when its descriptor is closed.
base::FileHandle makeNamelessFile() {
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    std::string name = (error ? std::filesystem::path("/tmp") : folder) / "aotscope-XXXXXX";
    base::FileHandle file(::mkstemp(name.data()));
    if (file.get() >= 0) {
        ::unlink(name.c_str());
    }
    return file;
}

/// Input, output and limits of an unpacking, which runs piece by piece.
class Unpacker {
public:
    Unpacker(int from, int to, std::uint64_t packedSize, std::uint64_t maxSize, base::Progress& progress)
        : m_from(from), m_to(to), m_packedSize(packedSize), m_maxSize(maxSize), m_progress(progress) {}
    /// Keeps the first `bytes` bytes in memory; unpacking ends with an error when there are more.
    Unpacker(int from, std::size_t bytes, base::Progress& progress)
        : m_from(from), m_maxSize(bytes), m_progress(progress), m_in(bytes), m_out(bytes) {}

    /// Refills the input; false at the end of the file or on a read error.
    bool refill() {
        ssize_t got = 0;
        do {
            got = ::pread(m_from, m_in.data(), m_in.size(), static_cast<off_t>(m_read));
        } while (got < 0 && errno == EINTR);
        m_filled = got > 0 ? static_cast<std::size_t>(got) : 0;
        m_read += m_filled;
        m_progress.report("Unpacking", m_read, m_packedSize);
        return m_filled > 0;
    }

    /// Writes `size` bytes of the output; returns an error on failure.
    std::optional<base::Error> flush(std::size_t size) {
        AOTSCOPE_CHECK(m_progress.checkStop());
        if (m_to < 0) {
            m_start.append(reinterpret_cast<const char*>(m_out.data()), // NOLINT
                           std::min<std::size_t>(size, m_maxSize - m_start.size()));
            return m_start.size() == m_maxSize ? std::optional(unpackError("the start is there"))
                                               : std::nullopt;
        }
        if (m_written + size > m_maxSize) {
            return unpackError("the file unpacks to more than " + std::to_string(m_maxSize) + " bytes",
                               "Unpack it yourself and open the result if it is what it should be.");
        }
        if (!base::writeAll(m_to, {reinterpret_cast<const char*>(m_out.data()), size})) { // NOLINT
            return unpackError(std::string("cannot write the unpacked log: ") + std::strerror(errno),
                               "Make room in the temporary folder, or set TMPDIR to another one.");
        }
        m_written += size;
        return std::nullopt;
    }

    [[nodiscard]] unsigned char* in() { return m_in.data(); }
    [[nodiscard]] std::size_t filled() const { return m_filled; }
    [[nodiscard]] unsigned char* out() { return m_out.data(); }
    [[nodiscard]] std::size_t outSize() const { return m_out.size(); }
    [[nodiscard]] std::size_t written() const { return m_written; }
    [[nodiscard]] std::string takeStart() { return std::move(m_start); }

private:
    int m_from;
    /// Descriptor of the output file; negative: output to memory.
    int m_to = -1;
    std::string m_start;
    std::uint64_t m_packedSize = 0;
    std::uint64_t m_maxSize;
    base::Progress& m_progress;
    std::vector<unsigned char> m_in = std::vector<unsigned char>(unpackSize);
    std::vector<unsigned char> m_out = std::vector<unsigned char>(unpackSize);
    std::size_t m_filled = 0;
    std::size_t m_read = 0;
    std::size_t m_written = 0;
};

const char* const cutShort = "the compressed file ends too early";
[[maybe_unused]] const char* const damaged = "the compressed file is damaged";

#ifdef AOTSCOPE_HAVE_ZLIB
/// Sets `damage` if the stream ends early or is broken; the part before that is written.
std::optional<base::Error> unpackGzip(Unpacker& unpacker, std::string& damage) {
    z_stream stream = {};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) {
        return unpackError("the gzip library cannot start");
    }
    std::optional<base::Error> error;
    bool between = false;
    while (!error && damage.empty()) {
        if (stream.avail_in == 0) {
            if (!unpacker.refill()) {
                damage = between ? "" : cutShort;
                break;
            }
            stream.next_in = unpacker.in();
            stream.avail_in = static_cast<uInt>(unpacker.filled());
        }
        if (between) {
            // Another gzip member may follow, or zero padding, which ends the file.
            if (*stream.next_in == 0) {
                break;
            }
            inflateReset(&stream);
        }
        stream.next_out = unpacker.out();
        stream.avail_out = static_cast<uInt>(unpacker.outSize());
        const int state = inflate(&stream, Z_NO_FLUSH);
        error = unpacker.flush(unpacker.outSize() - stream.avail_out);
        between = state == Z_STREAM_END;
        if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) {
            damage = damaged;
        }
    }
    inflateEnd(&stream);
    return error;
}
#endif

#ifdef AOTSCOPE_HAVE_LZMA
std::optional<base::Error> unpackXz(Unpacker& unpacker, std::string& damage) {
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, decoderMemory, LZMA_CONCATENATED) != LZMA_OK) {
        return unpackError("the xz library cannot start");
    }
    std::optional<base::Error> error;
    lzma_action action = LZMA_RUN;
    while (!error && damage.empty()) {
        if (stream.avail_in == 0 && action == LZMA_RUN) {
            if (unpacker.refill()) {
                stream.next_in = unpacker.in();
                stream.avail_in = unpacker.filled();
            } else {
                action = LZMA_FINISH;
            }
        }
        stream.next_out = unpacker.out();
        stream.avail_out = unpacker.outSize();
        const lzma_ret state = lzma_code(&stream, action);
        error = unpacker.flush(unpacker.outSize() - stream.avail_out);
        if (state == LZMA_STREAM_END) {
            break;
        }
        if (state == LZMA_MEMLIMIT_ERROR) {
            error = unpackError("the xz file asks for more than " + std::to_string(decoderMemory >> 20U) +
                                    " MiB of memory to unpack",
                                "Unpack it with xz -d and open the result.");
        } else if (state == LZMA_BUF_ERROR) {
            damage = cutShort;
        } else if (state != LZMA_OK) {
            damage = damaged;
        }
    }
    lzma_end(&stream);
    return error;
}
#endif

std::optional<base::Error> unpackWith(Unpacker& unpacker, Compression compression, std::string& damage) {
    if (compression == Compression::Gzip) {
#ifdef AOTSCOPE_HAVE_ZLIB
        return unpackGzip(unpacker, damage);
#endif
    } else {
#ifdef AOTSCOPE_HAVE_LZMA
        return unpackXz(unpacker, damage);
#endif
    }
    (void)unpacker;
    (void)damage;
    return unpackError("this build cannot unpack such a file", "Unpack it first, with gzip -d or xz -d.");
}

} // namespace

Compression compressionOf(int file) {
    std::array<char, 6> start = {};
    const ssize_t got = ::pread(file, start.data(), start.size(), 0);
    const std::string_view magic(start.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
    if (magic.starts_with("\x1f\x8b")) {
        return Compression::Gzip;
    }
    return magic == std::string_view("\xfd"
                                     "7zXZ\0",
                                     6)
               ? Compression::Xz
               : Compression::None;
}

base::Result<Unpacked> unpackFile(int file, Compression compression, std::uint64_t packedSize,
                                  std::uint64_t maxSize, base::Progress& progress) {
    Unpacked unpacked;
    unpacked.file = makeNamelessFile();
    if (unpacked.file.get() < 0) {
        return unpackError(std::string("cannot make a temporary file: ") + std::strerror(errno),
                           "Set TMPDIR to a folder you may write to.");
    }
    Unpacker unpacker(file, unpacked.file.get(), packedSize, maxSize, progress);
    if (auto error = unpackWith(unpacker, compression, unpacked.damage)) {
        return *std::move(error);
    }
    unpacked.size = unpacker.written();
    return unpacked;
}

std::string unpackStart(int file, Compression compression, std::size_t bytes) {
    base::Progress progress;
    Unpacker unpacker(file, bytes, progress);
    std::string damage;
    // The error only says that there are more than `bytes` bytes.
    static_cast<void>(unpackWith(unpacker, compression, damage));
    return unpacker.takeStart();
}

} // namespace aotscope::load
