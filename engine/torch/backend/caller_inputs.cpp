#include "backend/caller_inputs.h"

#include "backend/saved_results.h"
#include "run/inputs/input_needs.h"
#include "trace/traced_inputs.h"
#include "wrappers/read_number.h"

#include <algorithm>

namespace aotscope::torch {

std::vector<CallerInput> callerInputs(const aot::RetraceRequest& request, const DynamoProgram& program) {
    RunContext context;
    context.symbols = request.symbolHints;
    const std::vector<ValueNeeds> needs = valueNeeds(*request.program, context);
    std::vector<CallerInput> inputs;
    for (const ir::NodeId id : program.attributes()) {
        const ir::Node& node = request.program->node(id);
        inputs.push_back({node.target, attributeOf(request, node).input});
        inputs.back().needs = needs[id.index()];
    }
    const std::size_t attributes = inputs.size();
    const std::vector<ir::NodeId> placeholders = request.program->placeholders();
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        CallerInput input{request.program->node(placeholders[i]).name,
                          i < request.inputs.size() ? request.inputs[i] : aot::RetraceInput{}};
        if (input.facts.duplicateOf) {
            *input.facts.duplicateOf += attributes;
        }
        input.number = numberRead(*request.program, placeholders[i], request.symbolHints, request.floatHints);
        input.needs = needs[placeholders[i].index()];
        inputs.push_back(std::move(input));
    }
    const auto place = [&](ir::NodeId input) {
        return attributes +
               static_cast<std::size_t>(std::ranges::find(placeholders, input) - placeholders.begin());
    };
    for (SavedResult& saved : savedResults(*request.program)) {
        inputs.at(place(saved.result)).resultOf = {place(saved.of), std::move(saved.compute)};
    }
    return inputs;
}

} // namespace aotscope::torch
