#include "symbolic_check.h"

#include "fake/fake_operators.h"
#include "fake/fake_tensor.h"
#include "fake/meta/device_hint.h"
#include "trace/trace_attempts.h"

#include <torch/library.h>

#include <cmath>
#include <sstream>
#include <utility>

namespace aotscope::test {

std::string symbolicAnswer(const std::string& name, std::int64_t seen) {
    const auto op = c10::Dispatcher::singleton().findSchemaOrThrow(("aotscope_test::" + name).c_str(), "");
    const torch::DeviceHint device(c10::kCPU);
    torch::ShapeEnvironment environment{aot::TraceRules()};
    environment.announceSymbols({{"s0", seen}});
    const c10::SymInt symbol = environment.symbol("s0", seen);
    c10::Stack stack = {torch::makeFake({symbol}, {1}, 0, c10::kFloat, c10::kCPU, environment)};
    try {
        torch::callOnFakes(op, stack, environment);
    } catch (const c10::Error& error) {
        return error.what_without_backtrace();
    }
    std::ostringstream out;
    for (const c10::IValue& result : stack) {
        out << (&result == &stack.front() ? "" : " ") << result.toTensor().sym_sizes();
    }
    return std::move(out).str();
}

std::vector<std::string> notesOfAttempts() {
    bool first = true;
    const auto trace = [&first](const torch::SymbolChoice& choice) -> aot::RetraceResult {
        if (std::exchange(first, false)) {
            throw torch::GuardNeeded("Eq(s0, s1)");
        }
        TORCH_CHECK(choice.tiesEqualHints, "sizes must match");
        return {};
    };
    return torch::inAttempts(2, trace).notes;
}

} // namespace aotscope::test

TORCH_LIBRARY(aotscope_test, library) {
    library.def("part(Tensor x) -> Tensor");
    library.def("root(Tensor x) -> Tensor");
    library.def("even_and_all(Tensor x) -> (Tensor, Tensor)");
    library.def("all_and_all(Tensor x) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(aotscope_test, Meta, library) {
    library.impl("part", [](const at::Tensor& x) {
        return x.new_empty({static_cast<std::int64_t>(0.34 * static_cast<double>(x.size(0)))});
    });
    library.impl("root", [](const at::Tensor& x) {
        return x.new_empty({static_cast<std::int64_t>(std::sqrt(static_cast<double>(x.size(0))))});
    });
    library.impl("even_and_all", [](const at::Tensor& x) {
        return std::tuple(x.new_empty({x.size(0) / 2 * 2}), x.new_empty({x.size(0)}));
    });
    library.impl("all_and_all", [](const at::Tensor& x) {
        return std::tuple(x.new_empty({x.size(0)}), x.new_empty({x.size(0), x.size(0)}));
    });
}
