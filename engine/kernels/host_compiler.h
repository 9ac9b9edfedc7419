#pragma once

#include "kernels/compile_message.h"

#include "base/progress.h"
#include "base/result.h"

#include <chrono>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <vector>

/// Kernels compiled by the C++ compiler of this machine, so that they can be run and checked without a GPU.
namespace aotscope::kernels {

/// A compiler that was found.
struct HostCompiler {
    /// The program's path and the arguments that belong to it ("ccache g++" has one).
    std::vector<std::string> command;
    /// What it says of its version, one line.
    std::string version;
};

/// $CXX, else c++, g++ or clang++ on the PATH: the first that answers. Errors: kernels.no_host_compiler,
/// session.canceled.
[[nodiscard]] base::Result<HostCompiler> findHostCompiler(const base::Progress& progress = {});

/// A kernel's text and how it is called.
struct HostKernel {
    /// Messages name `kernelFileName(name)`, with lines of `source`.
    std::string name;
    /// What a person reads and may have changed. Must not read files (file_directives.h).
    std::string source;
    /// Ours: functions declared `extern "C" HOST_EXPORT` that call the kernel.
    std::string launcher;
};

/// Texts that are compiled as one: several kernels at once take less time than one after the other.
struct HostSource {
    /// Ours: what gives CUDA's words a meaning; may include headers.
    std::string prelude;
    std::vector<HostKernel> kernels;
};

struct HostCompileOptions {
    /// Beside those that make a shared object. Products and sums are not contracted by default, because
    /// ATen's are not.
    std::vector<std::string> flags = {"-O2", "-ffp-contract=off"};
    std::chrono::duration<double> limit = std::chrono::seconds(120);
};

/// An opened shared object. Its functions are there as long as this object.
class HostLibrary {
public:
    explicit HostLibrary(void* handle) : m_handle(handle) {}
    ~HostLibrary() { ::dlclose(m_handle); }
    HostLibrary(const HostLibrary&) = delete;
    HostLibrary& operator=(const HostLibrary&) = delete;

    /// A function that the launcher exports; null: there is none of that name.
    template<typename Function>
    [[nodiscard]] Function* function(const std::string& name) const {
        return reinterpret_cast<Function*>(::dlsym(m_handle, name.c_str())); // NOLINT: what dlsym is for
    }

private:
    void* m_handle;
};

/// What became of the texts.
struct HostBuild {
    /// Null: a text was refused; `messages` say why.
    std::shared_ptr<const HostLibrary> library;
    /// Errors and warnings.
    std::vector<CompileMessage> messages;
    double seconds = 0;
};

/// Compiles the texts into a shared object in a private temporary folder, opens it and removes the
/// folder. HOST_EXPORT is defined as what makes a function visible. A text that does not
/// compile is no error of this function.
///
/// Errors: session.canceled, kernels.compiler_late, kernels.compiler_failed (it could not be started, wrote
/// no file, or the file cannot be opened).
[[nodiscard]] base::Result<HostBuild> compileForHost(const HostCompiler& compiler, const HostSource& source,
                                                     const HostCompileOptions& options = {},
                                                     const base::Progress& progress = {});

} // namespace aotscope::kernels
