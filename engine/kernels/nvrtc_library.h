#pragma once

#include "base/describe.h"
#include "base/result.h"

#include <memory>
#include <string>
#include <vector>

/// NVRTC opened in this process. Only aotscope-kernel-compiler opens it (nvrtc.h says why).
namespace aotscope::kernels {

/// What NVRTC answers to one text.
struct NvrtcAnswer {
    bool compiled = false;
    /// Why not, where the log does not say it: "out of memory".
    std::string failure;
    std::string log;
    std::string ptx;
    std::string cubin;
};
AOTSCOPE_MEMBERS(NvrtcAnswer, compiled, failure, log, ptx, cubin)

/// kernels.no_nvrtc: what is missing, and how to get it.
[[nodiscard]] base::Error nvrtcMissing();

class NvrtcLibrary {
public:
    /// Opens the first candidate that can be opened and has all functions: paths, or names for the system's
    /// loader. Error: kernels.no_nvrtc, with a note for each candidate.
    [[nodiscard]] static base::Result<NvrtcLibrary> open(const std::vector<std::string>& candidates);

    /// Where it lies.
    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] std::string version() const;
    [[nodiscard]] std::vector<int> architectures() const;
    [[nodiscard]] NvrtcAnswer compile(const std::string& text, const std::vector<std::string>& options) const;

private:
    struct Functions;

    std::shared_ptr<const Functions> m_functions;
    std::string m_path;
};

} // namespace aotscope::kernels
