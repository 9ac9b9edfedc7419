#pragma once

#include <QString>

#include <cstdint>
#include <optional>

namespace aotscope::views {

/// Reads "200kB", "1.5 MiB", "4096", or "25 %" of `whole`. Units as in session::SavedFilter: kB, MB and GB
/// are powers of 1000; KiB, MiB and GiB of 1024; letters' case does not matter. Nothing: it is no such text.
[[nodiscard]] std::optional<std::int64_t> readByteAmount(const QString& words, std::int64_t whole);

} // namespace aotscope::views
