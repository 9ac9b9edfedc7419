#pragma once

#include "program.h"
#include "selection.h"

#include "session/reference.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// A graph whose kernels are looked at, or why it is not there.
struct KernelGraph {
    std::string title;
    std::optional<session::ArtifactReference> reference;
    std::optional<base::Error> error;
};

/// The forward, backward and inference graphs of the files, or the graph that is named. Joint graphs without
/// logged halves are partitioned, and their halves are taken.
[[nodiscard]] std::vector<KernelGraph> kernelGraphs(Program& program, const GraphRequest& request);

} // namespace aotscope::cli
