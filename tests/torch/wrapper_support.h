#pragma once

#include "run_support.h"

#include "aot/compile.h"
#include "recompile/compiled_call.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Small programs, compiled and called through their wrappers.
namespace aotscope::test {

struct Compiled {
    session::CallRequest request;

    [[nodiscard]] const aot::CompiledFunction& function() const { return request.function; }
    template<typename Wrapper>
    [[nodiscard]] Wrapper& wrapper() {
        for (aot::WrapperStep& step : request.function.wrappers) {
            if (auto* found = std::get_if<Wrapper>(&step.wrapper)) {
                step.applies = true;
                return *found;
            }
        }
        FAIL("no such wrapper");
        throw std::exception();
    }
};

inline aot::RetraceInput plain() {
    return {};
}
/// A parameter.
inline aot::RetraceInput leaf() {
    aot::RetraceInput input;
    input.requiresGrad = true;
    return input;
}
/// A tensor that autograd computed.
inline aot::RetraceInput inner() {
    aot::RetraceInput input = leaf();
    input.isLeaf = false;
    return input;
}
/// One of several inputs in a storage.
inline aot::RetraceInput inStorage(aot::RetraceInput input, std::int64_t storage, std::int64_t offset,
                                   std::int64_t bytes) {
    input.storage = storage;
    input.storageOffset = offset;
    input.storageBytes = bytes;
    return input;
}

struct CompileOptions {
    bool gradEnabled = true;
    bool keepInputMutations = true;
    passes::Partitioner partitioner = passes::Partitioner::MinCut;
    ir::SymbolBindings hints = {};
    std::vector<std::string> guards = {};
    aot::DecompositionTable decompositions = aot::DecompositionTable::None;
    /// The activation memory budget.
    double budget = 1;
};

/// Compiles a program of Dynamo's graph text.
inline Compiled compiled(const std::string& parameters, const std::string& body,
                         std::vector<aot::RetraceInput> inputs, const CompileOptions& options = {}) {
    Compiled made;
    aot::RetraceRequest& request = made.request.request;
    request.torch = aot::TorchVersion{2, 15};
    request.program = graphOf(parameters, body);
    request.inputs = std::move(inputs);
    request.state.gradEnabled = options.gradEnabled;
    request.keepInputMutations = options.keepInputMutations;
    request.symbolHints = options.hints;
    request.symbolGuards = options.guards;
    request.decompositions = options.decompositions;
    auto traced = backend().answer(session::RetraceCall{request});
    REQUIRE_MESSAGE(traced.ok(), traced.error().text());
    if (session::correctLeaves(traced->function, request)) {
        traced = backend().answer(session::RetraceCall{request});
        REQUIRE_MESSAGE(traced.ok(), traced.error().text());
    }
    made.request.function = traced->function;
    if (traced->function.joint) {
        aot::CompileChoices choices = aot::ownChoices(traced->function);
        choices.partition->partitioner = options.partitioner;
        choices.partition->memoryBudget = options.budget;
        auto split = aot::compile(std::move(made.request.function), choices);
        REQUIRE_MESSAGE(split.ok(), split.error().text());
        made.request.function = std::move(split).value();
    }
    return made;
}

inline steps::CallRecord called(const Compiled& function) {
    auto record = backend().answer(session::FunctionCall{function.request});
    REQUIRE_MESSAGE(record.ok(), record.error().text());
    return std::move(record).value();
}

/// The call failed, with this error.
inline base::Error refused(const Compiled& function) {
    auto record = backend().answer(session::FunctionCall{function.request});
    if (!record.ok()) {
        return record.error();
    }
    REQUIRE(record->error.has_value());
    return *record->error;
}

/// Requires that a call ran and equals eager's, in structure and numbers.
inline void requireEager(const steps::CallRecord& record) {
    REQUIRE_MESSAGE(!record.error.has_value(), record.error->text());
    REQUIRE(record.eager.has_value());
    CHECK_MESSAGE(record.eager->skipped.empty(), record.eager->skipped);
    CHECK(!record.eager->values.empty());
    for (const steps::ComparedValue& value : record.eager->values) {
        CHECK_MESSAGE(value.agrees,
                      value.name << ": " << value.structure << " " << value.relativeError.value_or(0));
    }
}

/// The first passage through a wrapper; null: it was not called.
inline const steps::WrapperCall* passage(const steps::CallRecord& record, std::string_view name,
                                         bool backward = false) {
    const auto found = std::ranges::find_if(record.wrappers, [&](const steps::WrapperCall& call) {
        return call.name == name && call.backward == backward;
    });
    return found == record.wrappers.end() ? nullptr : &*found;
}

inline bool did(const steps::CallRecord& record, std::string_view name, std::string_view action,
                bool backward = false) {
    const steps::WrapperCall* call = passage(record, name, backward);
    return call != nullptr && std::ranges::any_of(call->actions, [&](const std::string& each) {
               return each.find(action) != std::string::npos;
           });
}

inline std::size_t countEvents(const steps::CallRecord& record, steps::EventKind kind) {
    return static_cast<std::size_t>(std::ranges::count_if(
        record.events, [&](const steps::CallEvent& event) { return event.kind == kind; }));
}

inline const std::string matrix = ": \"f32[3, 4][4, 1]cpu\"";

} // namespace aotscope::test
