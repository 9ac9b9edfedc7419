#pragma once

#include "aot/fields_json.h"

/// The members of an error for fields_json.h.
namespace aotscope::aot::detail {

template<>
struct Fields<base::Place> {
    static void visit(auto& field, auto& place) {
        field("file", place.file);
        field("line", place.line);
        field("column", place.column);
        field("node", place.node);
    }
};
template<>
struct Fields<base::Error> {
    static void visit(auto& field, auto& error) {
        field("code", error.code);
        field("message", error.message);
        field("place", error.place);
        field("notes", error.notes);
        field("hint", error.hint);
    }
};

} // namespace aotscope::aot::detail
