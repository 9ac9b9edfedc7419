#include "aot/retrace.h"

namespace aotscope::aot {

ir::SymbolBindings symbolValues(const RetraceRequest& request) {
    ir::SymbolBindings values = request.program->symbolHints();
    for (const auto& [symbol, value] : request.symbolHints) {
        values[symbol] = value;
    }
    return values;
}

} // namespace aotscope::aot
