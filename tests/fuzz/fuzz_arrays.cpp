// Arbitrary bytes as a .npy or .npz file give arrays that match their shapes, or an error with a reason. An
// array that was read is written and read back the same.
#include "load/tensor_formats.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using namespace aotscope::load;

void expect(bool condition) {
    if (!condition) {
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) { // NOLINT: libFuzzer's name
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    if (const auto array = parseNpy(bytes)) {
        expect(array->bytes.size() <= size && !array->dtype.empty());
        const auto written = npyBytes(*array);
        expect(written.ok());
        const auto again = parseNpy(*written);
        expect(again.ok() && *again == *array);
    } else {
        expect(array.error().code == "load.not_npy" && !array.error().message.empty());
    }
    constexpr std::uint64_t mostUnpacked = 1U << 20U;
    if (const auto archive = parseNpz(bytes, {}, mostUnpacked)) {
        std::uint64_t total = 0;
        for (const auto& [name, tensor] : *archive) {
            total += tensor.bytes.size();
        }
        expect(total <= mostUnpacked);
    } else {
        expect(!archive.error().code.empty() && !archive.error().message.empty());
    }
    return 0;
}
