#pragma once

#include "inductor/kernel_comments.h"

#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace aotscope::inductor {

/// From a line that was taken to the one that closes its brackets, or to the end; takes these lines too, as
/// long as `goesOn` returns true for the last line and the next, which is nothing at the end.
template<typename GoesOn>
[[nodiscard]] TextRange takeBrackets(CodeLines& lines, const CodeLine& first, GoesOn&& goesOn) {
    CodeLine last = first;
    for (int open = openBrackets(first.text); open > 0; open += openBrackets(last.text)) {
        const std::optional<CodeLine> next = lines.peek();
        if (!goesOn(last, next) || !next) {
            break;
        }
        last = *next;
        static_cast<void>(lines.next());
    }
    return rangeOf(first, last);
}
[[nodiscard]] inline TextRange takeBrackets(CodeLines& lines, const CodeLine& first) {
    return takeBrackets(lines, first, [](const auto& /*last*/, const auto& /*next*/) { return true; });
}

/// Reads what a kernel's own source says of it: its kind by the decorator or, without one, by its name; its
/// parameters; `inductor_meta` and the heuristic's arguments as facts. `family` is the method that compiles
/// it ("triton", "cpp_pybinding", …).
void readKernelSource(std::string_view source, std::string_view family, Kernel& kernel);

/// The parameters of a C++ function from the text between its parentheses.
[[nodiscard]] std::vector<KernelParameter> cppParameters(std::string_view declaration);

/// Collects what the readers of Python and C++ wrappers find.
class CodeBuilder {
public:
    OutputCode code;

    /// Whether the text has more than any real one; its rest is not read.
    [[nodiscard]] bool isFull() const;
    /// A kernel defined twice keeps its first definition.
    void define(Kernel kernel);
    [[nodiscard]] bool isDefined(std::string_view kernel) const {
        return m_kernels.contains(std::string(kernel));
    }
    void beginFunction(std::string_view name, const CodeLine& line);
    void endFunction(const CodeLine& lastLine);
    [[nodiscard]] bool inFunction() const { return m_inFunction; }
    void completeFunction();
    void addInput(std::string_view name);
    /// Names a value that later statements may use.
    void addName(std::string_view name) { m_names.insert(std::string(name)); }
    void addReturned(std::string_view text);
    /// `place` as written; returned values before it that were not named are None.
    void addReturnedAt(std::string_view place, std::string_view text);
    void addBufferEvent(BufferEvent event, const CodeLine& line);
    /// `kernel`: the name under which it is listed; a kernel that is not defined becomes one of `kind`.
    Launch& addLaunch(std::string_view kernel, KernelKind kind, const TextRange& range,
                      std::string_view callee);
    [[nodiscard]] LaunchArgument argument(std::string_view text) const;
    void addProblem(std::size_t line, std::string message);

private:
    [[nodiscard]] std::vector<std::string> buffersIn(std::string_view text) const;

    std::unordered_map<std::string, std::uint32_t> m_kernels;
    std::unordered_set<std::string> m_names;
    bool m_inFunction = false;
};

/// Calls `take` for each line, until a stop is requested or the builder is full.
void forEachLine(CodeLines& lines, CodeBuilder& builder, base::Progress& progress,
                 const std::function<void(const CodeLine&)>& take);

/// Reads the body of a Python wrapper's function.
class PythonStatements {
public:
    explicit PythonStatements(CodeBuilder& builder) : m_builder(builder) {}
    /// A whole statement, trimmed, in lines `range`. `comments`: those before it.
    /// Returns whether it was a launch, which the comments then belong to.
    bool take(std::string_view statement, const TextRange& range, const CodeLine& line,
              const KernelComments& comments);

private:
    bool takeAssignment(std::string_view name, std::string_view expression, bool reused,
                        const TextRange& range, const CodeLine& line, const KernelComments& comments);
    bool takeCall(std::string_view result, std::string_view expression, const TextRange& range,
                  const KernelComments& comments);

    CodeBuilder& m_builder;
};

/// Reads a wrapper in C++ (`torch._inductor.config.cpp_wrapper`, AOTInductor) with its kernels. Follows
/// torch 2.15, torch/_inductor/codegen/cpp_wrapper_cpu.py.
void readCppWrapper(std::string_view text, CodeBuilder& builder, base::Progress& progress);
[[nodiscard]] bool isCppWrapper(std::string_view text);

} // namespace aotscope::inductor
