#include "aot/versions/torch_version.h"

#include "base/numbers.h"

namespace aotscope::aot {
namespace {

std::optional<int> takePart(std::string_view& text) {
    const std::size_t digits = text.find_first_not_of("0123456789");
    const std::string_view number = text.substr(0, digits);
    return number.empty() || number.size() > 3 ? std::nullopt : base::takeNumber<int>(text);
}

} // namespace

std::optional<TorchVersion> torchVersionFromText(std::string_view text) {
    const std::optional<int> major = takePart(text);
    if (!major || !text.starts_with('.')) {
        return std::nullopt;
    }
    text.remove_prefix(1);
    const std::optional<int> minor = takePart(text);
    return minor ? std::optional(TorchVersion{*major, *minor}) : std::nullopt;
}

std::string torchVersionText(TorchVersion version) {
    return std::to_string(version.major) + '.' + std::to_string(version.minor);
}

} // namespace aotscope::aot
