#include "api/handles.h"

#include "ir/text/parser.h"
#include "load/trace_log.h"

namespace aotscope {

namespace {

Result<Graph> parsedGraph(const std::string& text) {
    auto read = ir::parseGraphText(text);
    if (!read) {
        return torch::api::errorOf(std::move(read).error());
    }
    return torch::api::handleOf(std::move(read).value());
}

} // namespace

Result<std::vector<LoggedGraph>> readLog(const std::string& path, std::string_view name) {
    return torch::api::guarded("load.open", [&] {
        const load::TraceLogPtr log = torch::valueOrThrow(load::TraceLog::read(path));
        std::vector<LoggedGraph> graphs;
        for (std::uint32_t i = 0; i < log->compiles().size(); ++i) {
            const load::CompileIndex index(i);
            if (const auto artifact = log->tryFindArtifact(index, name)) {
                graphs.push_back(
                    {log->compile(index).id.text(), parsedGraph(log->payload(artifact->record))});
            }
        }
        return graphs;
    });
}

} // namespace aotscope
