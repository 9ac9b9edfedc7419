#pragma once

#include "answer.h"
#include "compile_answer.h"
#include "program.h"
#include "selection.h"

#include "aot/functorch_config.h"
#include "base/verdict.h"
#include "contract/call_options.h"
#include "contract/call_snapshot.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::cli {

/// How much of a call is shown: all its events, each value beside eager's, or only the first value that
/// differs.
enum class CallShown : std::uint8_t { Events, Values, FirstDifference };

/// A function that was called. Without its events, `record` has only what they came to.
struct CallAnswer {
    std::string file = {};
    std::string name = {};
    std::string backend = {};
    /// Nothing failed, and nothing differs.
    bool agrees = false;
    base::Verdict verdict = {};
    std::optional<aot::CacheOutcome> cache = {};
    std::optional<aot::CacheOutcome> partitionCache = {};
    std::vector<passes::GraphWarning> warnings = {};
    std::optional<std::vector<OptionAnswer>> configuration = {};
    std::optional<steps::ComparedValue> firstDifference = {};
    steps::CallRecordPtr record = {};
};
AOTSCOPE_MEMBERS(CallAnswer, file, name, backend, agrees, verdict, cache, partitionCache, warnings,
                 configuration, firstDifference, record)

struct CallsAnswer {
    std::vector<CallAnswer> functions;
};
AOTSCOPE_MEMBERS(CallsAnswer, functions)
AOTSCOPE_ANSWER(CallsAnswer, "aotscope.call/2")

[[nodiscard]] CallAnswer callAnswer(const session::CallSnapshot& call, CallShown shown);

/// Per passage through a wrapper, in the order of entry: its own time and what it did.
[[nodiscard]] std::string wrapperCallsText(const session::CallSnapshot& call);
/// What the cache of compiled functions did for the call; empty: the call did not use it.
[[nodiscard]] std::string callCacheText(const session::CallSnapshot& call);
/// Compares the call with Dynamo's graph in eager mode.
[[nodiscard]] base::Verdict verdictOf(const session::CallSnapshot& call);
/// One line: "equal to Dynamo's graph in eager mode (…)", "differs from …: …", or why there is no answer.
[[nodiscard]] std::string callVerdict(const session::CallSnapshot& call);
/// Whether it was called and agrees with eager, where it was compared.
[[nodiscard]] bool callAgrees(const session::CallSnapshot& call);

/// The options with the inputs that PyTorch's own call of a golden file was recorded with, where a person
/// gave no others; the same options for other functions.
[[nodiscard]] session::CallOptions withRecordedInputs(Program& program, const TargetChoice& choice,
                                                      session::CallOptions options);

/// Options of `run --trace-wrappers` and `run --reference eager`.
struct WrapperRunOptions {
    std::vector<std::filesystem::path> files;
    /// Empty: all functions of the files.
    std::string id;
    session::CallOptions call;
    /// Take the compile and its partition from the cache of compiled functions, and put new ones there.
    bool cache = false;
    std::vector<aot::ConfigSetting> config = {};
    CallShown shown = CallShown::Events;
    /// Also what is behind each verdict.
    bool explain = false;
    bool json = false;
};

/// Compiles functions again and calls each through its wrappers, beside Dynamo's graph in eager mode. Golden
/// files that hold the inputs of PyTorch's own call are called with these. Returns ExitNo when one differs or
/// cannot be called, or, with `--reference eager`, cannot be compared.
[[nodiscard]] int runWrappers(Program& program, const WrapperRunOptions& options);

} // namespace aotscope::cli
