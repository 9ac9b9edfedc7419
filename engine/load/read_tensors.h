#pragma once

#include "load/file_bytes.h"

#include "base/file_place.h"

#include <string_view>
#include <type_traits>
#include <utility>

namespace aotscope::load {

/// The most bytes that a packed file of tensors may have.
inline constexpr std::uint64_t mostTensorBytes = 8ULL << 30U;

/// What `parse` reads in the bytes of a file; its errors have the file's path. Errors besides: those of
/// FileBytes::open; load.open (the file became shorter).
template<typename Parse>
std::invoke_result_t<Parse, std::string_view> readTensors(const std::filesystem::path& path,
                                                          base::Progress progress, const Parse& parse) {
    AOTSCOPE_TRY(file, FileBytes::open(path, mostTensorBytes, progress));
    auto read = parse(file->bytes());
    if (!file->intact()) {
        return base::Error{"load.open", "The file became shorter while it was read.", base::filePlace(path)};
    }
    if (!read) {
        base::Error error = std::move(read).error();
        error.place.file = path.string();
        return error;
    }
    return read;
}

} // namespace aotscope::load
