#include "base/formatted.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace aotscope::base {

std::string formatted(const char* format, ...) { // NOLINT: as printf
    std::va_list values;
    va_start(values, format);
    std::va_list again;
    va_copy(again, values);
    std::string text(static_cast<std::size_t>(std::max(std::vsnprintf(nullptr, 0, format, values), 0)), '\0');
    // The zero behind the text is the string's.
    std::vsnprintf(text.data(), text.size() + 1, format, again);
    va_end(again);
    va_end(values);
    return text;
}

} // namespace aotscope::base
