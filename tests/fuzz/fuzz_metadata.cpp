#include "ir/compare/aot_metadata_compare.h"
#include "ir/json/aot_metadata_json.h"
#include "ir/python_repr.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace aotscope::ir;

/// Arbitrary text is read as logged metadata or refused. What was read can be written and read back, and is
/// then equal.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    (void)readRepr(text);
    const auto metadata = metadataFromRepr(text);
    if (!metadata) {
        return 0;
    }
    const auto again = metadataFromJson(metadataToJson(*metadata));
    if (!again || !metadataDifferences(*metadata, *again).empty()) {
        std::abort();
    }
    return 0;
}
