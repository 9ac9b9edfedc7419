#pragma once

#include "timeline/timeline.h"

#include <array>
#include <string_view>
#include <utility>

namespace aotscope::timeline {

/// The categories of events in traces. The first name of each is what is written where an event has none.
inline constexpr std::array<std::pair<std::string_view, Category>, 20> categoryNames = {{
    {"cpu_op", Category::Operator},
    {"kernel", Category::Kernel},
    {"gpu_memcpy", Category::Copy},
    {"gpu_memset", Category::Copy},
    {"cuda_runtime", Category::Runtime},
    {"cuda_driver", Category::Runtime},
    {"privateuse1_runtime", Category::Runtime},
    {"cuda_sync", Category::Synchronization},
    {"python_function", Category::Python},
    {"user_annotation", Category::Annotation},
    {"gpu_user_annotation", Category::Annotation},
    {"overhead", Category::Overhead},
    // The whole time that the profiler recorded.
    {"Trace", Category::Recording},
    {"node", Category::Node},
    {"Kernel", Category::Kernel},
    {"Memcpy", Category::Copy},
    {"Memset", Category::Copy},
    {"Runtime", Category::Runtime},
    {"Operator", Category::Operator},
    {"other", Category::Other},
}};

} // namespace aotscope::timeline
