#include "graph_options.h"

namespace aotscope::cli {

void addGraphOptions(Command command, GraphRequest& request) {
    command.addOption("FILE", &request.files, "Trace logs, folders of logs, or graph files").required();
    command.addOption("--id", &request.id,
                      "Compile id: 0/0, 0/1_2, !0/1/0, -; with several logs rank3:0/0 or FILE:0/0");
    command.addOption("--kind,--graph", &request.kind,
                      "joint, forward, backward, inference, or an artifact's name");
    command.addOption("--section", &request.section, "Nested graph, by path a/b");
}

} // namespace aotscope::cli
