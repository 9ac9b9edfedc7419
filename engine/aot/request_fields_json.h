#pragma once

#include "aot/function_fields_json.h"
#include "aot/retrace.h"

/// The members of a request to trace for fields_json.h.
namespace aotscope::aot::detail {

template<>
struct Fields<RetraceRequest> {
    static constexpr void visit(auto& field, auto& request) {
        field("torch", request.torch);
        field("program", request.program);
        field("inputs", request.inputs);
        field("attributes", request.attributes);
        // The guards of an entry are checked against them (cache/guard_check.h).
        field("symbol_hints", request.symbolHints, NotInKey());
        field("symbol_guards", request.symbolGuards);
        field("number_symbols", request.numberSymbols);
        field("float_hints", request.floatHints);
        field("unbacked_numbers", request.unbackedNumbers);
        field("unbacked_floats", request.unbackedFloats);
        field("earlier_checkpoints", request.earlierCheckpoints);
        field("state", request.state);
        field("keep_input_mutations", request.keepInputMutations);
        field("lazy_arithmetic", request.lazyArithmetic);
        field("returns_tree", request.returnsTree);
        field("decompositions", request.decompositions);
        field("decomposed_operators", request.decomposedOperators);
        field("functorch", request.functorch);
        field("export", request.exported);
        field("assigned_attributes", request.assignedAttributes);
        field("stages", request.stages);
        field("numbers", request.numbers);
    }
};

} // namespace aotscope::aot::detail
