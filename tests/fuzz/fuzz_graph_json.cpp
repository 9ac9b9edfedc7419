#include "ir/compare/graph_diff.h"
#include "ir/json/graph_json.h"
#include "ir/module_path.h"
#include "ir/phase.h"
#include "ir/verifier.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

using namespace aotscope::ir;

/// Arbitrary bytes are read or refused. What was read can be written and read back equal, and everything that
/// examines a graph copes with it, however broken it is.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto graph = graphFromJson({reinterpret_cast<const char*>(data), size});
    if (!graph) {
        return 0;
    }
    const auto again = graphFromJson(graphToJson(**graph));
    if (!again || !equalGraphs(**graph, **again)) {
        std::abort();
    }
    const bool sound = verifyGraph(**graph).empty();
    const bool sized = nodePhases(**graph).size() == (*graph)->idBound() &&
                       deriveModulePaths(**graph).ofNode.size() == (*graph)->idBound();
    const bool equalToItself = diffGraphs(**graph, **again).equal();
    // A graph without broken rules is equal to itself; others may hold twins that no one can tell apart.
    if (!sized || (sound && !equalToItself)) {
        std::abort();
    }
    return 0;
}
