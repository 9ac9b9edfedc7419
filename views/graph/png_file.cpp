#include "graph/png_file.h"

#include "base/progress.h"

#include <QByteArray>
#include <QIODevice>
#include <QImage>
#include <QtEndian>

// Its input is not written to.
#define ZLIB_CONST
#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

namespace aotscope::views {

namespace {

constexpr int pieceBytes = 1 << 16;

/// A chunk: its length, its kind, what it holds, and a sum over both (PNG specification, 5.3).
bool writeChunk(QIODevice& file, const char* kind, const QByteArray& content) {
    QByteArray chunk(4, '\0');
    qToBigEndian(static_cast<quint32>(content.size()), chunk.data());
    chunk += QByteArray(kind, 4) + content;
    const auto* summed = reinterpret_cast<const Bytef*>(chunk.constData() + 4);
    const uLong sum = crc32(0, summed, static_cast<uInt>(chunk.size() - 4));
    std::array<char, 4> end{};
    qToBigEndian(static_cast<quint32>(sum), end.data());
    chunk.append(end.data(), 4);
    return file.write(chunk) == chunk.size();
}

QByteArray header(const QSize& size) {
    QByteArray content(8, '\0');
    qToBigEndian(static_cast<quint32>(size.width()), content.data());
    qToBigEndian(static_cast<quint32>(size.height()), content.data() + 4);
    // Eight bits, red green blue, deflate, filters per row, not interlaced.
    return content + QByteArray("\x08\x02\x00\x00\x00", 5);
}

/// Packs rows into IDAT chunks.
class Packer {
public:
    explicit Packer(QIODevice& file) : m_file(file), m_piece(pieceBytes, '\0') {
        m_ready = deflateInit(&m_stream, Z_DEFAULT_COMPRESSION) == Z_OK;
    }
    ~Packer() { deflateEnd(&m_stream); }
    Packer(const Packer&) = delete;
    Packer& operator=(const Packer&) = delete;

    [[nodiscard]] bool add(const QByteArray& row, bool isLast) {
        m_stream.next_in = reinterpret_cast<const Bytef*>(row.constData());
        m_stream.avail_in = static_cast<uInt>(row.size());
        int state = Z_OK;
        do {
            m_stream.next_out = reinterpret_cast<Bytef*>(m_piece.data()) + m_filled;
            m_stream.avail_out = static_cast<uInt>(pieceBytes - m_filled);
            state = m_ready ? deflate(&m_stream, isLast ? Z_FINISH : Z_NO_FLUSH) : Z_STREAM_ERROR;
            if (state == Z_STREAM_ERROR) {
                return false;
            }
            m_filled = pieceBytes - static_cast<int>(m_stream.avail_out);
            const bool isOver = state == Z_STREAM_END;
            if ((m_filled == pieceBytes || isOver) && !flush()) {
                return false;
            }
        } while (isLast ? state != Z_STREAM_END : m_stream.avail_in > 0);
        return true;
    }

private:
    [[nodiscard]] bool flush() {
        const int filled = std::exchange(m_filled, 0);
        return filled == 0 || writeChunk(m_file, "IDAT", m_piece.first(filled));
    }

    QIODevice& m_file;
    z_stream m_stream{};
    QByteArray m_piece;
    int m_filled = 0;
    bool m_ready = false;
};

} // namespace

bool writePng(const QImage& image, QIODevice& file, base::Progress& progress) {
    const QByteArray signature("\x89PNG\r\n\x1a\n", 8);
    if (file.write(signature) != signature.size() || !writeChunk(file, "IHDR", header(image.size()))) {
        return false;
    }
    Packer packer(file);
    const int rows = image.height();
    QImage row;
    for (int y = 0; y < rows; ++y) {
        progress.report("compressing", static_cast<std::uint64_t>(y), static_cast<std::uint64_t>(rows));
        if (progress.stopRequested()) {
            return false;
        }
        row = image.copy(0, y, image.width(), 1).convertToFormat(QImage::Format_RGB888);
        const auto* pixels = reinterpret_cast<const char*>(row.constScanLine(0));
        // The row's filter: none; flat colours pack well without.
        if (!packer.add(QByteArray(1, '\0') + QByteArray(pixels, image.width() * 3), y + 1 == rows)) {
            return false;
        }
    }
    return writeChunk(file, "IEND", {});
}

} // namespace aotscope::views
