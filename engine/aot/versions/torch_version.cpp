#include "aot/versions/torch_version.h"

#include <charconv>

namespace aotscope::aot {
namespace {

std::optional<int> leadingNumber(std::string_view& text) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    const std::string_view number = text.substr(0, digits);
    int value = 0;
    if (number.empty() || number.size() > 3 ||
        std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc()) {
        return std::nullopt;
    }
    text.remove_prefix(number.size());
    return value;
}

} // namespace

std::optional<TorchVersion> torchVersionFromText(std::string_view text) {
    const std::optional<int> major = leadingNumber(text);
    if (!major || !text.starts_with('.')) {
        return std::nullopt;
    }
    text.remove_prefix(1);
    const std::optional<int> minor = leadingNumber(text);
    return minor ? std::optional(TorchVersion{*major, *minor}) : std::nullopt;
}

std::string torchVersionText(TorchVersion version) {
    return std::to_string(version.major) + '.' + std::to_string(version.minor);
}

} // namespace aotscope::aot
