#include "hooks/hook_library.h"

#include <algorithm>

namespace aotscope::hooks {
namespace {

/// The text holds one hook after another, each below a line "=== NAME".
std::vector<LibraryHook> splitLibrary(std::string_view text) {
    constexpr std::string_view start = "=== ";
    std::vector<LibraryHook> library;
    while (text.starts_with(start)) {
        text.remove_prefix(start.size());
        const std::size_t nameEnd = text.find('\n');
        const std::size_t end = std::min(text.find("\n=== ", nameEnd), text.size());
        library.push_back({text.substr(0, nameEnd), text.substr(nameEnd + 1, end - nameEnd - 1)});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return library;
}

} // namespace

const std::vector<LibraryHook>& hookLibrary() {
    static const std::vector<LibraryHook> library = splitLibrary(detail::hookLibraryText());
    return library;
}

const LibraryHook* tryLibraryHook(std::string_view name) {
    const auto& library = hookLibrary();
    const auto found = std::ranges::find(library, name, &LibraryHook::name);
    return found == library.end() ? nullptr : &*found;
}

} // namespace aotscope::hooks
