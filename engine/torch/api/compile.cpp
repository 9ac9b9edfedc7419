#include "api/outputs.h"
#include "api/request.h"
#include "wrappers/compose.h"

#include "aot/compile.h"
#include "aot/returned_graph.h"

#include <c10/core/GradMode.h>

namespace aotscope {

/// A function, and its compile once there is one.
struct CompiledFunction::Impl {
    Module module;
    CompileOptions options;
    /// The module's tensors that the graph reads, which come in front of the caller's arguments.
    torch::Values attributes = {};
    std::optional<aot::CompiledFunction> function = {};
    torch::ComposedCall composed = {};

    void compile(std::span<const Value> arguments);
    std::vector<Value> call(std::span<const Value> arguments);
};

namespace {

/// The traced function with its halves: the same that the session shows of a re-trace.
aot::CompiledFunction finishedCompile(aot::CompiledFunction traced, const CompileOptions& options) {
    aot::CompileChoices choices = aot::ownChoices(
        traced, [](const aot::RetraceRequest& request) { return base::Result(torch::api::traced(request)); });
    choices.partition->partitioner =
        options.partition == Partition::MinCut ? passes::Partitioner::MinCut : passes::Partitioner::Default;
    choices.partition->keepUnusedRandom = choices.partition->keepUnusedRandom || !options.tracingContext;
    return torch::valueOrThrow(aot::compile(std::move(traced), choices));
}

CompiledFunction notCompiledYet(const Module& module, const CompileOptions& options) {
    return CompiledFunction(
        std::make_shared<CompiledFunction::Impl>(CompiledFunction::Impl{module, options}));
}

std::optional<Graph> graphOrNothing(ir::GraphPtr graph) {
    if (!graph) {
        return {};
    }
    return torch::api::handleOf(std::move(graph));
}

} // namespace

void CompiledFunction::Impl::compile(std::span<const Value> arguments) {
    aot::RetraceRequest request = torch::api::requestOf(module, arguments);
    request.keepInputMutations = options.keepInferenceInputMutations;
    request.tracingContext = options.tracingContext;
    request.decompositions = torch::api::tableOf(options.decompositions);
    std::vector<std::string> names;
    attributes = torch::api::attributesOf(module, request, names);
    for (const ir::NodeId id : request.program->placeholders()) {
        names.push_back(request.program->node(id).name);
    }
    aot::CompiledFunction traced = torch::api::traced(request).function;
    traced.graph = aot::asReturned(traced, aot::symbolValues(request), /*isWrapped=*/false);
    function = finishedCompile(std::move(traced), options);
    composed = torch::composeCall(*function, names, {}, nullptr);
}

std::vector<Value> CompiledFunction::Impl::call(std::span<const Value> arguments) {
    if (!function) {
        compile(arguments);
    }
    const std::size_t wanted = function->program->placeholders().size();
    if (arguments.size() != wanted) {
        torch::fail("aot.arguments", "The function takes " + std::to_string(wanted) + " arguments and got " +
                                         std::to_string(arguments.size()) + ".");
    }
    torch::Values list = attributes;
    for (const Value& argument : arguments) {
        list.push_back(torch::api::boxed(argument));
    }
    return torch::api::unboxed(composed.call(list));
}

Result<std::vector<Value>> CompiledFunction::operator()(std::span<const Value> arguments) const {
    return torch::api::guarded("run.operator_failed", [&] { return m_impl->call(arguments); });
}

bool CompiledFunction::isCompiled() const {
    return m_impl->function.has_value();
}

std::optional<Graph> CompiledFunction::forwardGraph() const {
    return isCompiled() ? graphOrNothing(m_impl->function->forward()) : std::nullopt;
}

std::optional<Graph> CompiledFunction::backwardGraph() const {
    return isCompiled() ? graphOrNothing(m_impl->function->backward()) : std::nullopt;
}

std::optional<Graph> CompiledFunction::jointGraph() const {
    return isCompiled() && m_impl->function->joint ? graphOrNothing(m_impl->function->graph) : std::nullopt;
}

std::vector<std::string> CompiledFunction::wrappers() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; isCompiled() && i < m_impl->function->wrappers.size(); ++i) {
        const aot::WrapperStep& step = m_impl->function->wrappers[i];
        if (step.applies) {
            names.emplace_back(aot::wrapperName(step.wrapper));
        }
    }
    return names;
}

// NOLINTBEGIN(readability-identifier-naming)

Result<CompiledFunction> aot_function(const Graph& function, const CompileOptions& options) {
    return aot_module({.forward = function}, options);
}

Result<CompiledFunction> aot_module(const Module& module, const CompileOptions& options) {
    return torch::api::guarded("trace.unsupported", [&] {
        torch::api::checkAttributes(module);
        return notCompiledYet(module, options);
    });
}

Result<CompiledFunction> aot_module_simplified(const Module& module, std::span<const Value> arguments,
                                               const CompileOptions& options) {
    return torch::api::guarded("trace.unsupported", [&] {
        torch::api::checkTuple(module.forward);
        auto impl = std::make_shared<CompiledFunction::Impl>(CompiledFunction::Impl{module, options});
        impl->compile(arguments);
        return CompiledFunction(std::move(impl));
    });
}

// NOLINTEND(readability-identifier-naming)

} // namespace aotscope
