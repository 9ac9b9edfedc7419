#include "trace/export.h"
#include "api/outputs.h"
#include "api/request.h"

namespace aotscope {

namespace {

aot::RetraceResult exported(const Module& module, std::span<const Value> arguments,
                            const ExportOptions& options, const aot::ExportOptions& exported) {
    aot::RetraceRequest request = torch::api::requestOf(module, arguments);
    request.decompositions = torch::api::tableOf(options.decompositions);
    request.export_ = exported;
    aot::RetraceResult result = torch::api::traced(request);
    if (options.functionalizeRngOps) {
        torch::ban(
            "An exported graph cannot take the states of random generators as inputs.",
            "Set functionalizeRngOps to false.",
            "Functionalized RNG is not currently supported in the aot_export workflow. Please file a github "
            "issue,\nor otherwise set torch._functorch.config.functionalize_rng_ops = False.");
    }
    return result;
}

Graph exportedGraph(const aot::RetraceResult& result) {
    return Graph(std::make_shared<const Graph::Impl>(
        Graph::Impl{.graph = result.function.graph, .constants = result.function.constants}));
}

} // namespace

// NOLINTBEGIN(readability-identifier-naming)

Result<ExportedModule> aot_export_module(const Module& module, std::span<const Value> arguments,
                                         const ExportOptions& options) {
    return torch::api::guarded("trace.unsupported", [&] {
        if (!(options.preDispatch && options.traceJoint)) {
            torch::api::checkTuple(module.forward);
        }
        aot::ExportOptions chosen{.joint = options.traceJoint, .preDispatch = options.preDispatch};
        if (options.outputLossIndex) {
            chosen.loss = static_cast<std::size_t>(*options.outputLossIndex);
        }
        const aot::RetraceResult result = exported(module, arguments, options, chosen);
        return ExportedModule{exportedGraph(result), result.function.signature
                                                         ? aot::signatureToJson(*result.function.signature)
                                                         : std::string()};
    });
}

Result<Graph> aot_export_joint_simple(const Graph& function, std::span<const Value> arguments,
                                      const ExportOptions& options) {
    return torch::api::guarded("trace.unsupported", [&] {
        const aot::ExportOptions chosen{.simple = true, .joint = options.traceJoint};
        torch::api::checkFlatTuple(function);
        return exportedGraph(exported({.forward = function}, arguments, options, chosen));
    });
}

// NOLINTEND(readability-identifier-naming)

} // namespace aotscope
