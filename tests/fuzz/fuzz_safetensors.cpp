// Arbitrary bytes as a safetensors file give tensors that match their shapes, or an error with a reason. What
// was read is written and read back the same.
#include "load/tensor_file.h"
#include "load/tensor_formats.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <unistd.h>

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
    const auto read = parseSafetensors({reinterpret_cast<const char*>(data), size});
    if (!read) {
        expect(!read.error().code.empty() && !read.error().message.empty());
        return 0;
    }
    std::size_t total = 0;
    for (const auto& [name, tensor] : *read) {
        expect(!tensor.dtype.empty());
        total += tensor.bytes.size();
    }
    expect(total <= size);
    static const std::string path =
        (std::filesystem::temp_directory_path() / ("aotscope-fuzz-safetensors-" + std::to_string(::getpid())))
            .string();
    expect(writeSafetensors(path, *read).ok());
    const auto again = readTensorFile(path);
    expect(again.ok() && *again == *read);
    ::unlink(path.c_str());
    return 0;
}
