#include "backend/call_compiled.h"

#include "backend/caller_inputs.h"
#include "backend/pack_hook.h"
#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/global_state_scope.h"
#include "dispatch/handled_error.h"
#include "dispatch/release_rules.h"
#include "ops/graph_state.h"
#include "run/state/memory_limit.h"
#include "stepping/call_stepper.h"
#include "trace/dynamo_program.h"
#include "trace/function_trace.h"
#include "trace/retrace.h"
#include "trace/traced_inputs.h"
#include "wrappers/call_function.h"

#include "aot/versions/versions.h"
#include "passes/move_program.h"

namespace aotscope::torch {

namespace {

steps::CallRecord callHere(const session::CallRequest& request, const steps::StepPauses& pauses,
                           const base::Progress& progress) {
    const bool isOnGpu = onCuda(*request.request.program);
    if (isOnGpu && !request.options.device.isCuda()) {
        fail("call.unsupported", "The program names a GPU in its calls, so it cannot be called on the CPU.",
             "Call it on a GPU (--device cuda).");
    }
    if (isOnGpu && request.options.device.index != 0) {
        fail("call.unsupported",
             "The program names the GPU that it runs on in its calls, so it cannot be "
             "called on another one.",
             "Call it on the first GPU (--device cuda:0).");
    }
    const aot::TraceRules rules = aot::torchRules(request.request.torch).trace;
    const bool moves = request.options.device.isCuda() && !isOnGpu;
    ProgramPosition position;
    DynamoProgram program(
        moves ? passes::movedProgram(*request.request.program, {"cuda", request.options.device.index})
              : request.request.program,
        position, progress, rules);
    program.orderAttributes(
        [&](const ir::Node& node) { return attributeOf(request.request, node).isBuffer; });
    CallSubject subject{request, callerInputs(request.request, program), [&](Values arguments) {
                            ops::GraphState ambient;
                            const aot::GlobalState& state = request.request.state;
                            for (const aot::AmbientAutocast& autocast : state.autocasts) {
                                ambient.enterAutocast(c10::Device(autocast.device).type(),
                                                      scalarType(autocast.dtype), true, state.autocastCache);
                            }
                            return program(std::move(arguments));
                        }};
    subject.place = placeFor(request.options.device, *request.function.graph);
    if (request.options.runTimeHooks) {
        subject.packHook = packHook(*request.options.runTimeHooks, rules);
    }
    if (pauses.wanted()) {
        subject.goThrough = [&](const CallerTensors& callers, CallRecorder& recorder,
                                const std::function<void()>& pass) {
            stepThrough(pauses, request.function, callers, recorder, pass);
        };
    }
    return callFunction(subject, progress);
}

} // namespace

base::Result<steps::CallRecord> callCompiled(const session::CallRequest& request,
                                             const steps::StepPauses& pauses,
                                             const base::Progress& progress) {
    return guardedResult("call.unsupported", [&] {
        GlobalStateScope state(request.request.state);
        MemoryLimit limit(availableMemory() / 10 * 9);
        const auto lend = [&] {
            state.lend();
            limit.lend();
        };
        const steps::StepPauses lending = pausesAround(pauses, lend, [&] {
            limit.takeBack();
            state.takeBack();
        });
        const UseTraceRules rules(aot::torchRules(request.request.torch).trace);
        return callHere(request, lending, progress);
    });
}

} // namespace aotscope::torch
