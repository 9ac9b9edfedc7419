#include "inductor/kernel_links.h"
#include "inductor/output_code.h"
#include "inductor/provenance.h"
#include "ir/text/parser.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Arbitrary bytes as generated code, before a line of dashes, and as the graph it is of, after it: reading
/// and linking never crash or hang, all ranges lie within the text, and links name nodes of the graph.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace aotscope;
    const std::string_view all(reinterpret_cast<const char*>(data), size);
    const std::size_t dashes = all.find("\n----\n");
    const std::string_view text = all.substr(0, dashes);
    inductor::Provenance provenance;
    (void)inductor::addNodeMappings(all, provenance);
    (void)inductor::addStackTraces(all, provenance);
    const auto code = inductor::readOutputCode(text);
    if (!code) {
        return 0;
    }
    for (const inductor::Kernel& kernel : code->kernels) {
        for (const std::uint32_t launch : kernel.launches) {
            if (launch >= code->launches.size()) {
                std::abort();
            }
        }
        if (kernel.source &&
            (kernel.source->begin > kernel.source->end || kernel.source->end > text.size())) {
            std::abort();
        }
    }
    for (const inductor::Launch& launch : code->launches) {
        if (launch.kernel >= code->kernels.size() || launch.range.end > text.size()) {
            std::abort();
        }
    }
    const auto graph = dashes == std::string_view::npos
                           ? base::Result<ir::GraphPtr>(base::Error{"fuzz.none", ""})
                           : ir::parseGraphText(all.substr(dashes + 6));
    if (graph) {
        const inductor::KernelLinks links = inductor::linkKernels(*code, {*graph, nullptr, &provenance});
        for (const inductor::LaunchLinks& launch : links.launches) {
            for (const inductor::NodeLink& link : launch.nodes) {
                if (link.node.index() >= (*graph)->idBound()) {
                    std::abort();
                }
            }
        }
    }
    return 0;
}
