#pragma once

#include "base/foreign_json.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace aotscope::evidence {

/// What is read of Dynamo's metrics of a compile; by default where a release does not write it.
struct CompilationMetrics {
    std::int64_t aotautogradLocalCacheHitCount = 0;
    std::int64_t aotautogradRemoteCacheHitCount = 0;
    /// JSON as text, the options of the process when the compile ended.
    std::string functorchConfig;
    std::string inductorConfig;
};
AOTSCOPE_MEMBERS(CompilationMetrics, aotautogradLocalCacheHitCount, aotautogradRemoteCacheHitCount,
                 functorchConfig, inductorConfig)

struct MetricsEnvelope {
    CompilationMetrics compilationMetrics;
};
AOTSCOPE_MEMBERS(MetricsEnvelope, compilationMetrics)

[[nodiscard]] inline CompilationMetrics metricsIn(std::string_view envelope) {
    return base::foreignFrom<MetricsEnvelope>(envelope).compilationMetrics;
}

} // namespace aotscope::evidence
