#include "backend/call_compiled.h"

#include "backend/caller_inputs.h"
#include "backend/pack_hook.h"
#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "ops/graph_state.h"
#include "stepping/call_stepper.h"
#include "trace/dynamo_program.h"
#include "trace/function_trace.h"
#include "trace/traced_inputs.h"
#include "wrappers/call_function.h"

namespace aotscope::torch {

namespace {

steps::CallRecord callHere(const session::CallRequest& request, const steps::StepPauses& pauses,
                           const base::Progress& progress) {
    if (onCuda(*request.request.program)) {
        fail("call.unsupported",
             "The program runs on a GPU, and compiled functions are called on the CPU here.");
    }
    ProgramPosition position;
    DynamoProgram program(request.request.program, position, progress);
    program.orderAttributes(
        [&](const ir::Node& node) { return attributeOf(request.request, node).isBuffer; });
    CallSubject subject{request, callerInputs(request.request, program), [&](Values arguments) {
                            ops::GraphState ambient;
                            for (const aot::AmbientAutocast& autocast : request.request.autocasts) {
                                ambient.enterAutocast(c10::Device(autocast.device).type(),
                                                      scalarType(autocast.dtype), true, false);
                            }
                            return program(std::move(arguments));
                        }};
    if (request.options.runTimeHooks) {
        subject.packHook = packHook(*request.options.runTimeHooks);
    }
    if (pauses.wanted()) {
        subject.goThrough = [&](const CallersTensors& callers, CallRecorder& recorder,
                                const std::function<void()>& pass) {
            CallStepper(pauses, request.function, callers, recorder).run(pass);
        };
    }
    return callFunction(subject, progress);
}

} // namespace

base::Result<steps::CallRecord> callCompiled(const session::CallRequest& request,
                                             const steps::StepPauses& pauses,
                                             const base::Progress& progress) {
    try {
        return callHere(request, pauses, progress);
    } catch (const Canceled&) {
        return base::canceledError();
    } catch (const std::exception&) {
        return handledError("call.unsupported");
    }
}

} // namespace aotscope::torch
