#pragma once

#include <complex>
#include <optional>
#include <string>
#include <string_view>

/// Python's spelling of numbers and strings: what `repr` writes and how it is read back.
namespace aotscope::ir {

/// The shortest text that reads back as the same double, in repr's form: "1.0", "1e-05", "inf", "nan".
[[nodiscard]] std::string pythonFloat(double value);
/// "1j", "(1+2j)".
[[nodiscard]] std::string pythonComplex(const std::complex<double>& value);
/// Quoted with the quote repr chooses, escaped as repr does.
[[nodiscard]] std::string pythonString(std::string_view text);

/// Reads a float without sign or with one: "0.5", "-1e-05", "inf".
[[nodiscard]] std::optional<double> parsePythonFloat(std::string_view text);
/// Reads "(1+2j)" and "2j".
[[nodiscard]] std::optional<std::complex<double>> parsePythonComplex(std::string_view text);
/// The value of a quoted literal, quotes included; nothing when an escape is malformed.
[[nodiscard]] std::optional<std::string> parsePythonString(std::string_view literal);

} // namespace aotscope::ir
