#pragma once

#include "program.h"
#include "selection.h"

#include "contract/reference.h"

#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// A graph whose kernels are looked at, or why it is not there.
struct KernelGraph {
    std::string title;
    std::optional<session::ArtifactReference> reference;
    std::optional<base::Error> error;
    /// For the body of a higher-order operator, why the engine does not run it as a graph; empty: it does.
    std::string notRun = {};
};

/// The forward, backward and inference graphs of the files, or the graph that is named. Joint graphs without
/// logged halves are partitioned, and their halves are taken. Behind each graph come the bodies of its
/// higher-order operators, unless one section of it is named.
[[nodiscard]] std::vector<KernelGraph> kernelGraphs(Program& program, const GraphRequest& request);
/// "mlp.log_0_0_forward" of a graph's title: a name for a folder.
[[nodiscard]] std::string folderName(std::string title);

} // namespace aotscope::cli
