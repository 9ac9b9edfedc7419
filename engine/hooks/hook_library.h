#pragma once

#include "hooks/hook_text.h"

#include <string_view>
#include <vector>

namespace aotscope::hooks {

/// Hooks that ship with the program (resources/hooks), in the form that a person writes them in.
struct LibraryHook {
    std::string_view name;
    std::string_view text;
};

/// Sorted by name.
[[nodiscard]] const std::vector<LibraryHook>& hookLibrary();
/// Null for a name that is not in the library.
[[nodiscard]] const LibraryHook* tryLibraryHook(std::string_view name);

namespace detail {
/// resources/hook_library.txt; the build writes its source.
[[nodiscard]] std::string_view hookLibraryText();
} // namespace detail

} // namespace aotscope::hooks
