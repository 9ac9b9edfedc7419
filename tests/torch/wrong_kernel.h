#pragma once

#include <memory>

namespace aotscope::test {

/// While it lives, the CPU's kernel of aten.sigmoid is off by a thousandth for float32, and right for float64.
class WrongSigmoid {
public:
    WrongSigmoid();
    ~WrongSigmoid();
    WrongSigmoid(const WrongSigmoid&) = delete;
    WrongSigmoid& operator=(const WrongSigmoid&) = delete;

private:
    struct Registration;
    std::unique_ptr<Registration> m_registration;
};

} // namespace aotscope::test
