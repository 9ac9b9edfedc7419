#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

/// Fourier transforms.
namespace aotscope::torch {

void addSpectralRows(OperatorRows& rows) {
    rows.add({"stft.center"}, ForComposite{decomposed::stft});
    rows.add({"istft"}, ForComposite{decomposed::istft});
    rows.add({"_fft_c2c"}, shapes::c2c);
    rows.add({"_fft_r2c"}, shapes::r2c, symbolic::realTransform);
    rows.add({"_fft_c2r"}, shapes::c2r);
}

} // namespace aotscope::torch
