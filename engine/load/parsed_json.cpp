#include "load/parsed_json.h"

#include "load/python_json.h"

namespace aotscope::load {

ParsedJson::ParsedJson(std::string_view json) {
    if (json.empty() || json.size() > limit) {
        return;
    }
    m_root = m_parser.parse(json.data(), json.size());
    if (m_root.error() != simdjson::SUCCESS) {
        std::string repaired;
        strictJson(json, repaired);
        m_root = m_parser.parse(repaired);
    }
}

} // namespace aotscope::load
