#include "api/handles.h"

#include "ir/text/parser.h"
#include "load/trace_log.h"

namespace aotscope {

Result<std::vector<LoggedGraph>> readLog(const std::string& path, std::string_view name) {
    const auto log = load::TraceLog::read(path);
    if (!log) {
        return torch::api::errorOf(log.error());
    }
    std::vector<LoggedGraph> graphs;
    for (std::uint32_t i = 0; i < (*log)->compiles().size(); ++i) {
        const load::CompileIndex index(i);
        const auto artifact = (*log)->tryFindArtifact(index, name);
        if (!artifact) {
            continue;
        }
        auto read = ir::parseGraphText((*log)->payload(artifact->record));
        graphs.push_back({(*log)->compile(index).id.text(),
                          read ? Result<Graph>(torch::api::handleOf(std::move(read).value()))
                               : Result<Graph>(torch::api::errorOf(std::move(read).error()))});
    }
    return graphs;
}

} // namespace aotscope
