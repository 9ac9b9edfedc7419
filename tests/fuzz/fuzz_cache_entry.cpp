#include "aot/compiled_function_json.h"
#include "cache/entry_text.h"
#include "cache/guard_check.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace aotscope;

/// Arbitrary bytes are read or refused, with the first lines (digest, length) and without: the digest is no
/// shield against a forger. What was read can be written and read back equal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    (void)cache::readEntry(text);
    const auto entry = cache::readEntryBody(text);
    if (!entry) {
        return 0;
    }
    (void)cache::firstFailedGuard(entry->result.function.guards, {{"s0", 8}, {"s77", 3}});
    const auto again = cache::readEntry(cache::entryToText(*entry));
    if (!again ||
        aot::compiledFunctionToJson(again->result.function) !=
            aot::compiledFunctionToJson(entry->result.function) ||
        again->key.digest != entry->key.digest) {
        std::abort();
    }
    return 0;
}
