#include "hooks_report.h"

#include "base/joined.h"
#include "base/mapped.h"
#include "table.h"

#include "aot/compiled_function_json.h"
#include "hooks/hook_library.h"
#include "ir/json/aot_metadata_json.h"

#include "explore/compiled_autograd_hooks.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

const session::InlinedHooks* hooksOf(const PartitionRun& run) {
    return run.split && run.split->hooks ? &*run.split->hooks : nullptr;
}

std::ptrdiff_t countHooked(const session::InlinedHooks& hooks) {
    return std::ranges::count_if(hooks.tensors,
                                 [](const session::HookedTensor& tensor) { return !tensor.hook.empty(); });
}

std::string packedText(const session::HookedTensor& tensor) {
    return base::joined(tensor.packed, ", ", [](const session::PackedValue& value) {
        return value.dtype.empty() ? value.name : value.dtype + value.shape;
    });
}

HookedTensorAnswer hookedTensor(const PartitionRun& run, const session::HookedTensor& tensor) {
    const auto row = std::ranges::find(run.split->saved, tensor.saved, &session::SavedTensor::name);
    return row == run.split->saved.end()
               ? HookedTensorAnswer{tensor}
               : HookedTensorAnswer{tensor, row->dtype, row->shape, row->op, row->module};
}

/// "saved 1.2 MB, with hooks 300 kB; peak 8 MB, with hooks 7.1 MB"
std::string savedText(const session::PartitionSnapshot& split) {
    return "saved " + bytesText(split.hooks->bytesBefore) + ", with hooks " +
           bytesText(split.hooks->bytesAfter) + "; peak " +
           bytesText(split.hooks->profileBefore->peak.bytes) + ", with hooks " +
           bytesText(split.profile->peak.bytes);
}

std::string totalsText(const PartitionRun& run, const session::InlinedHooks& hooks) {
    return textOf(countHooked(hooks), " of ", hooks.tensors.size(), " saved tensors have a hook (",
                  hooks.filter, "); ", savedText(*run.split), "; ", session::partitionerText(*run.split),
                  "\n");
}

std::string brokenText(const hooks::BrokenHook& broken) {
    const std::string place =
        broken.error.place.line == 0 ? std::string() : ", line " + std::to_string(broken.error.place.line);
    return "Without the hook " + broken.hook + place + " (" + std::to_string(broken.tensors.size()) +
           " tensors, the first is " + broken.tensors.front() + "): " + broken.error.message + "\n";
}

} // namespace

std::string hooksTable(const PartitionRun& run) {
    const session::InlinedHooks* hooks = hooksOf(run);
    if (hooks == nullptr) {
        return "No saved-tensors hooks: the program has none that are inlined. Choose some with --hook.\n";
    }
    Table table({"saved", "hook", numbers("bytes"), numbers("stored"), "dtype", "shape", "stored as",
                 paths("module"), "why none"});
    for (const session::HookedTensor& each : hooks->tensors) {
        const HookedTensorAnswer tensor = hookedTensor(run, each);
        table.add({tensor.saved, tensor.hook, tensor.bytes, tensor.storedBytes, tensor.dtype, tensor.shape,
                   packedText(tensor), tensor.module, tensor.why});
    }
    std::string text = table.empty() ? std::string() : table.shown();
    text += totalsText(run, *hooks);
    for (const hooks::BrokenHook& broken : hooks->broken) {
        text += brokenText(broken);
    }
    return text;
}

std::string hooksSummary(const std::vector<PartitionRun>& runs) {
    Table table({paths("graph"), "input", numbers("hooks"), numbers("saved"), numbers("bytes"),
                 numbers("stored"), numbers("peak"), numbers("with hooks"), "graphs", "metadata"});
    for (const PartitionRun& run : runs) {
        const session::InlinedHooks* hooks = hooksOf(run);
        Cells own{"0", {}, {}, {}, {}, {}};
        if (hooks != nullptr) {
            own = {countHooked(*hooks),
                   hooks->tensors.size(),
                   bytesText(hooks->bytesBefore),
                   bytesText(hooks->bytesAfter),
                   bytesText(hooks->profileBefore->peak.bytes),
                   bytesText(run.split->profile->peak.bytes)};
        }
        table.add({run.graph, run.traced ? "traced" : "logged"}, own,
                  {halvesVerdictText(run), metadataVerdict(run)});
    }
    return table.empty() ? std::string() : table.shown();
}

HookedCompileAnswer hooksAnswer(const PartitionRun& run) {
    HookedCompileAnswer answer{run, run.traced};
    const session::InlinedHooks* hooks = hooksOf(run);
    if (hooks == nullptr) {
        return answer;
    }
    answer.mode = hooks->filter;
    answer.savedBytes = hooks->bytesBefore;
    answer.storedBytes = hooks->bytesAfter;
    answer.peakBytes = hooks->profileBefore->peak.bytes;
    answer.peakBytesWithHooks = run.split->profile->peak.bytes;
    answer.tensors = base::mapped(
        hooks->tensors, [&](const session::HookedTensor& tensor) { return hookedTensor(run, tensor); });
    answer.broken = hooks->broken;
    return answer;
}

std::string errorsTable(const session::HookErrorsSnapshot& measured) {
    Table table({"saved", numbers("max error"), numbers("mean"), numbers("relative"), numbers("gradients"),
                 numbers("worst gradient"), paths("which"), numbers("peak with it alone")});
    const auto& hooks = measured.errors.hooks;
    for (std::size_t i = 0; i < hooks.size(); ++i) {
        const session::HookError& hook = hooks[i];
        if (!hook.failure.empty()) {
            table.add({hook.saved, "failed: " + hook.failure});
            continue;
        }
        const auto worst = std::ranges::max_element(
            hook.gradients, {}, [](const session::GradientError& each) { return each.error.relative; });
        const bool isReached = worst != hook.gradients.end();
        table.add({hook.saved, threeDigits(hook.value.max), threeDigits(hook.value.mean),
                   threeDigits(hook.value.relative), hook.gradients.size(),
                   isReached ? threeDigits(worst->error.relative) : "", isReached ? worst->gradient : "",
                   i < measured.peaksAlone.size() ? bytesText(measured.peaksAlone[i]) : ""});
    }
    Table gradients(
        {paths("gradient, with all hooks"), numbers("max error"), numbers("mean"), numbers("relative")});
    for (const session::GradientError& gradient : measured.errors.together) {
        gradients.add({gradient.gradient, threeDigits(gradient.error.max), threeDigits(gradient.error.mean),
                       threeDigits(gradient.error.relative)});
    }
    return table.shown() + gradients.shown();
}

std::string suggestionText(const session::HookSuggestionSnapshot& suggestion) {
    std::string text = suggestion.isReached ? "The goal is reached" : "The goal is not reached";
    text += ": " + savedText(*suggestion.split) + "; relative error of the worst gradient " +
            threeDigits(suggestion.error) + "\n";
    for (const hooks::HookRule& rule : suggestion.plan.rules) {
        text += "  --hook '" + rule.hook + "=" + rule.filter + "'\n";
    }
    return text;
}

std::string runTimeHooksTable(const std::vector<session::CompiledAutogradHooks>& graphs) {
    std::string text = "Not inlined (called at run time by compiled autograd):\n";
    for (const session::CompiledAutogradHooks& each : graphs) {
        text += "  " + each.id + ": " + session::runTimeHooksText(each.hooks) + "\n";
    }
    return text;
}

std::vector<session::NamedText> hooksFiles(const PartitionRun& run) {
    std::vector<session::NamedText> files;
    if (!run.split) {
        return files;
    }
    const aot::CompiledFunction& function = run.split->function;
    session::addGraph(files, "joint", *function.graph);
    for (session::NamedText& file : session::halvesFiles(*function.partition)) {
        files.push_back(std::move(file));
    }
    std::size_t number = 0;
    for (const passes::InlinedHook& hook : function.partition->hooks) {
        const std::string suffix = "_" + std::to_string(number++);
        session::addGraph(files, "pack" + suffix, *hook.pack);
        session::addGraph(files, "unpack" + suffix, *hook.unpack);
    }
    files.push_back({"metadata.json", ir::metadataToJson(function.metadata)});
    files.push_back({"compiled_function.json", aot::compiledFunctionToJson(function)});
    files.push_back({"report.json", jsonText(answerJson(hooksAnswer(run)))});
    return files;
}

std::string libraryTable() {
    Table table({"hook", "dtypes", "what it does"});
    for (const hooks::LibraryHook& hook : hooks::hookLibrary()) {
        const auto read = hooks::readHookText(hook.text);
        const std::string dtypes =
            base::joined(read ? read->dtypes : std::vector<ir::DType>(), " ", ir::dtypeShortName);
        table.add({hook.name, dtypes.empty() ? "any" : dtypes, read ? read->about : read.error().message});
    }
    table.add({hooks::recomputeHook, "any", "Not saved: the backward recomputes it (min-cut)."});
    table.add({hooks::loggedHook, "any", "The hooks that were traced with the program."});
    table.add({hooks::noHook, "any", "Saved as it is."});
    return table.shown();
}

} // namespace aotscope::cli
