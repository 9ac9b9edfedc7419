#include "load/parsed_json.h"

#include "load/python_json.h"

namespace aotscope::load {

ParsedJson::ParsedJson(std::string_view json) {
    if (json.empty() || json.size() > limit) {
        return;
    }
    simdjson::dom::element root;
    if (m_parser.parse(json.data(), json.size()).get(root) == simdjson::SUCCESS) {
        m_root = root;
        return;
    }
    std::string repaired;
    strictJson(json, repaired);
    if (m_parser.parse(repaired).get(root) == simdjson::SUCCESS) {
        m_root = root;
    }
}

} // namespace aotscope::load
