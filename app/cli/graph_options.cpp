#include "graph_options.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace aotscope::cli {

void addGraphOptions(CLI::App& command, GraphRequest& request) {
    command.add_option("FILE", request.files, "Trace logs, folders of logs, or graph files")->required();
    command.add_option("--id", request.id,
                       "Compile id: 0/0, 0/1_2, !0/1/0, -; with several logs rank3:0/0 or FILE:0/0");
    command.add_option("--kind,--graph", request.kind,
                       "joint, forward, backward, inference, or an artifact's name");
    command.add_option("--section", request.section, "Graph inside the artifact, as in the command graph");
}

} // namespace aotscope::cli
