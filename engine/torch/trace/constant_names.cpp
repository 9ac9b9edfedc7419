#include "trace/constant_names.h"

namespace aotscope::torch {

std::string layoutName(c10::Layout layout) {
    switch (layout) {
    case c10::kStrided:
        return "strided";
    case c10::kSparse:
        return "sparse_coo";
    case c10::kSparseCsr:
        return "sparse_csr";
    case c10::kJagged:
        return "jagged";
    default:
        return "strided";
    }
}

std::string memoryFormatName(c10::MemoryFormat format) {
    switch (format) {
    case c10::MemoryFormat::Contiguous:
        return "contiguous_format";
    case c10::MemoryFormat::Preserve:
        return "preserve_format";
    case c10::MemoryFormat::ChannelsLast:
        return "channels_last";
    case c10::MemoryFormat::ChannelsLast3d:
        return "channels_last_3d";
    default:
        return "contiguous_format";
    }
}

} // namespace aotscope::torch
