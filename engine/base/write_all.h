#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <unistd.h>

namespace aotscope::base {

/// Writes to a descriptor, also from a signal handler. False: it took a part at most; errno says why.
inline bool writeAll(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        const ::ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(std::max<::ssize_t>(written, 0)));
    }
    return true;
}

} // namespace aotscope::base
