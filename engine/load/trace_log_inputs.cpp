#include "load/json_text.h"
#include "load/trace_log.h"
#include "load/trace_log_state.h"

#include <algorithm>
#include <charconv>

namespace aotscope::load {

std::vector<std::string> TraceLog::inputSources(CompileIndex index) const {
    (void)index;
    return {};
}

std::vector<std::pair<std::string, std::int64_t>> TraceLog::symbolValues(CompileIndex index) const {
    std::vector<std::pair<std::string, std::int64_t>> out;
    for (const RecordId record : compile(index).records) {
        if (kind(record) != RecordKind::CreateSymbol) {
            continue;
        }
        const JsonText json(envelope(record));
        if (!json.root()) {
            continue;
        }
        const auto metadata = (*json.root())["create_symbol"];
        std::string_view symbol;
        std::string_view text;
        std::int64_t value = 0;
        if (metadata["symbol"].get_string().get(symbol) != simdjson::SUCCESS) {
            continue;
        }
        if (metadata["val"].get_int64().get(value) != simdjson::SUCCESS) {
            if (metadata["val"].get_string().get(text) != simdjson::SUCCESS) {
                continue;
            }
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error != std::errc() || end != text.data() + text.size()) {
                continue;
            }
        }
        out.emplace_back(symbol, value);
    }
    return out;
}

} // namespace aotscope::load
