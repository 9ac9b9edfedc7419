#include "files/log_names.h"

#include <map>

namespace aotscope::session {

std::vector<LogName> logNames(const std::vector<LogSnapshotPtr>& logs) {
    std::vector<LogName> names(logs.size());
    if (logs.size() < 2) {
        return names;
    }
    std::map<std::int32_t, int> ranks;
    std::map<std::string, int> files;
    for (const LogSnapshotPtr& log : logs) {
        if (const auto rank = log->rank()) {
            ++ranks[*rank];
        }
        ++files[log->path.filename().string()];
    }
    for (std::size_t i = 0; i < logs.size(); ++i) {
        const auto rank = logs[i]->rank();
        std::string file = logs[i]->path.filename().string();
        if (rank && ranks.at(*rank) == 1) {
            names[i] = {"rank" + std::to_string(*rank), true};
        } else {
            names[i] = {files.at(file) == 1 ? std::move(file) : logs[i]->path.string()};
        }
    }
    return names;
}

} // namespace aotscope::session
