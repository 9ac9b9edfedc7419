#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/text/repro_script.h"
#include "ir/text/sections.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Arbitrary bytes: splitting, parsing and printing never crash, hang or grow without bound.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace aotscope::ir;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const NamedGraphText& section : splitGraphSections(text)) {
        (void)parseGraphText(section.text);
    }
    const auto graph = parseGraphOrScript(text);
    if (graph.ok()) {
        (void)printGraph(**graph, PrintMode::Canonical);
        const PrintedGraph printed = printGraph(**graph);
        if (printed.lineOfNode.size() != (*graph)->idBound()) {
            std::abort();
        }
        for (const std::string& symbol : (*graph)->symbols()) {
            (void)SymExpr(symbol).evaluate({});
        }
    }
    return 0;
}
