#!/usr/bin/env python3
"""Writes tests/load/arrays: small arrays in the formats of numpy and safetensors, for tst_arrays.cpp.

Needs numpy, safetensors and ml_dtypes: python3 make_arrays.py FOLDER
"""

import pathlib
import sys

import ml_dtypes
import numpy as np
from numpy.lib import format as npy
from safetensors.numpy import save_file

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)

counted = np.arange(6).reshape(2, 3)
np.save(folder / "c_order.npy", counted.astype("<f4"))
np.save(folder / "fortran_order.npy", np.asfortranarray(counted.astype("<f4")))
np.save(folder / "fortran_3d.npy", np.asfortranarray(np.arange(24).reshape(2, 3, 4).astype("<i2")))
np.save(folder / "big_endian.npy", counted.astype(">i4"))
np.save(folder / "big_endian_complex.npy", (counted - 1j * counted).astype(">c8"))
np.save(folder / "scalar.npy", np.float64(0.1))
np.save(folder / "empty.npy", np.empty((0, 3), "<i8"))
np.save(folder / "one_dimension.npy", np.array([1.5, -2.0], "<f2"))
np.save(folder / "bools.npy", np.array([True, False, True]))
np.save(folder / "fields.npy", np.zeros(2, [("a", "<f4"), ("b", "<i4")]))
np.save(folder / "text.npy", np.array(["a", "bc"]))
np.save(folder / "bfloat16.npy", counted.astype(ml_dtypes.bfloat16))
for version in (2, 3):
    with open(folder / f"version_{version}.npy", "wb") as out:
        npy.write_array(out, counted.astype("<u2"), version=(version, 0))
for name in ("f8", "f4", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "c16", "c8"):
    np.save(folder / f"type_{name}.npy", np.array([0, 1, 100], name))
# Pickled objects run code when they are read: they are refused.
np.save(folder / "objects.npy", np.array([None, 1], object), allow_pickle=True)

np.savez(folder / "stored.npz", x=counted.astype("<f4"), mask=np.array([True, False]), empty=np.empty((0,), "<i8"))
np.savez_compressed(folder / "deflated.npz", x=counted.astype("<f4"), zeros=np.zeros(1000, "<f8"))
np.savez(folder / "positional.npz", counted.astype("<i8"))

save_file(
    {
        "bf16": counted.astype(ml_dtypes.bfloat16),
        "e4m3": counted.astype(ml_dtypes.float8_e4m3fn),
        "e5m2": counted.astype(ml_dtypes.float8_e5m2),
        "f16": counted.astype("<f2"),
    },
    folder / "narrow.safetensors",
)
