#include "graph/png_file.h"

#include "base/progress.h"

#include <QIODevice>
#include <QImage>

#include <png.h>

#include <csetjmp>

namespace aotscope::views {

namespace {

/// The libpng state of one file. libpng's errors jump back to `writePng` with longjmp, so the frames in
/// between may have no destructors; objects with destructors are kept here.
struct PngWriter {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
    QIODevice* file = nullptr;
    QImage row;

    PngWriter() = default;
    ~PngWriter() { png_destroy_write_struct(&png, &info); }
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;
};

void writeBytes(png_structp png, png_bytep bytes, std::size_t count) {
    auto* file = static_cast<QIODevice*>(png_get_io_ptr(png));
    if (file->write(reinterpret_cast<const char*>(bytes), static_cast<qint64>(count)) !=
        static_cast<qint64>(count)) {
        png_error(png, "not written");
    }
}

void flushNothing(png_structp /*png*/) {}

bool writeRows(PngWriter& writer, const QImage& image, base::Progress& progress) {
    png_set_write_fn(writer.png, writer.file, writeBytes, flushNothing);
    png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(image.width()),
                 static_cast<png_uint_32>(image.height()), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    // Without filters flat colours compress well, in half the time.
    png_set_filter(writer.png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    png_write_info(writer.png, writer.info);
    const int rows = image.height();
    for (int y = 0; y < rows; ++y) {
        progress.report("compressing", static_cast<std::uint64_t>(y), static_cast<std::uint64_t>(rows));
        if (progress.stopRequested()) {
            return false;
        }
        writer.row = image.copy(0, y, image.width(), 1).convertToFormat(QImage::Format_RGB888);
        png_write_row(writer.png, writer.row.constScanLine(0));
    }
    png_write_end(writer.png, writer.info);
    return true;
}

} // namespace

bool writePng(const QImage& image, QIODevice& file, base::Progress& progress) {
    PngWriter writer;
    writer.file = &file;
    // NOLINTNEXTLINE(modernize-*,cert-err52-cpp): how libpng reports errors.
    if (writer.info == nullptr || setjmp(png_jmpbuf(writer.png)) != 0) {
        return false;
    }
    return writeRows(writer, image, progress);
}

} // namespace aotscope::views
