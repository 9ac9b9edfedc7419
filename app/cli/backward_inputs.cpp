#include "backward_inputs.h"

#include "base/joined.h"
#include "console.h"
#include "table.h"

#include "recompile/compiled_graphs.h"

namespace aotscope::cli {

namespace {

std::string strideText(const std::optional<ir::SymInts>& stride) {
    return stride ? "[" + base::joined(*stride) + "]" : std::string();
}

} // namespace

std::vector<passes::BackwardInput> backwardInputsOf(Program& program, const session::ArtifactReference& joint,
                                                    const passes::Partition& partition) {
    const session::LogSnapshotPtr log = program.session.tryLog(joint.log);
    for (const session::ArtifactReference& reference :
         log ? session::compiledGraphs(*log, joint) : std::vector<session::ArtifactReference>()) {
        const auto graph = program.session.graph(reference, program.progress());
        if (graph && (*graph)->graph && passes::takesSameInputs(*partition.backward, *(*graph)->graph)) {
            return passes::backwardInputs(partition, (*graph)->graph.get());
        }
    }
    return passes::backwardInputs(partition);
}

std::string backwardInputsTable(const std::vector<passes::BackwardInput>& inputs) {
    Table table({{"input of the backward"},
                 {"position", Table::Align::Right},
                 {"kind"},
                 {"stride"},
                 {"given with stride"},
                 {"donated"}});
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        table.add({inputs[i].name, std::to_string(i), std::string(base::wordOf(inputs[i].kind)),
                   strideText(inputs[i].stride), strideText(inputs[i].restrided),
                   inputs[i].donated ? "may be overwritten" : ""});
    }
    return table.empty() ? std::string() : table.text(resultWidth());
}

} // namespace aotscope::cli
