#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Python's literals for numbers and strings: written as `repr` writes them, and parsed.
namespace aotscope::ir {

/// The shortest text that reads back as the same double, in repr's form: "1.0", "1e-05", "inf", "nan".
[[nodiscard]] std::string pythonFloat(double value);
/// "1j", "(1+2j)".
[[nodiscard]] std::string pythonComplex(const std::complex<double>& value);
/// Quoted and escaped as repr does.
[[nodiscard]] std::string pythonString(std::string_view text);
/// Python 3.12's str.isprintable for a code point (Unicode 15.0). repr escapes unprintable ones.
[[nodiscard]] bool isPrintable(std::uint32_t code);

/// Reads a float with or without a sign: "0.5", "-1e-05", "inf".
[[nodiscard]] std::optional<double> parsePythonFloat(std::string_view text);
/// Reads "(1+2j)" and "2j".
[[nodiscard]] std::optional<std::complex<double>> parsePythonComplex(std::string_view text);
/// The value of a literal, which includes its quotes; nothing: an escape is malformed.
[[nodiscard]] std::optional<std::string> parsePythonString(std::string_view literal);

} // namespace aotscope::ir
