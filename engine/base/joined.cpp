#include "base/joined.h"

namespace aotscope::base {

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        text += i == 0 ? std::string_view() : between;
        text += parts[i];
    }
    return text;
}

} // namespace aotscope::base
