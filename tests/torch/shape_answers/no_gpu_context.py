"""Lets autograd run on fake CUDA tensors on a machine without a GPU: no device has a context."""
import ctypes, os, subprocess, torch
path = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cuda.so")
offset = next(int(l.split()[0], 16) for l in subprocess.run(["nm", path], capture_output=True, text=True).stdout.splitlines() if l.endswith("_hasPrimaryContextEa") and " t " in l)
base = next(int(l.split("-")[0], 16) for l in open("/proc/self/maps") if path in l)
libc = ctypes.CDLL(None, use_errno=True)
page = (base + offset) & ~4095
assert libc.mprotect(ctypes.c_void_p(page), 8192, 7) == 0
ctypes.memmove(base + offset, b"\x31\xc0\xc3", 3)
