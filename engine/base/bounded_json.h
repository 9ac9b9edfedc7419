#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string_view>

namespace aotscope::base {

/// One of the JSON library's readers that accepts at most so many levels of nesting, because values are
/// printed and destroyed with a recursion for each level.
template<typename Reader, std::size_t Most>
class BoundedReader : public Reader {
public:
    using Reader::Reader;

    bool start_object(std::size_t size) { return deeper() && Reader::start_object(size); }
    bool start_array(std::size_t size) { return deeper() && Reader::start_array(size); }
    bool end_object() {
        --m_depth;
        return Reader::end_object();
    }
    bool end_array() {
        --m_depth;
        return Reader::end_array();
    }

private:
    bool deeper() { return ++m_depth <= Most; }

    std::size_t m_depth = 0;
};

/// False: it is nested deeper. Throws the library's exceptions for what is not JSON.
template<std::size_t Most, typename Json>
[[nodiscard]] bool parseBounded(std::string_view text, Json& value,
                                typename Json::input_format_t format = Json::input_format_t::json) {
    BoundedReader<nlohmann::detail::json_sax_dom_parser<Json>, Most> reader(value);
    return Json::sax_parse(text, &reader, format);
}

} // namespace aotscope::base
