# Configuration of lit for the stage and error tests. NESTWARP names the compiler; run_lit.py sets it.
import os
import lit.formats

config.name = "nestwarp"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".c", ".cu", ".test"]
config.excludes = ["cuda", "lint", "emulation", "programs", "features", "regressions", "unit", "cc", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ.get("NESTWARP_LIT_OUTPUT", "/tmp/nestwarp-lit")
root = os.path.dirname(config.test_source_root)
llvm = "/usr/lib/llvm-22/bin"
config.substitutions += [
    ("%nestwarp", os.environ.get("NESTWARP", os.path.join(root, "build", "nestwarp"))),
    ("%programs", os.path.join(config.test_source_root, "programs")),
]
config.environment["PATH"] = llvm + os.pathsep + config.environment.get("PATH", "")
for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "NESTWARP_CC", "NESTWARP_CXX", "HOME", "XDG_CACHE_HOME", "NESTWARP_CACHE_DIR", "POCL_CACHE_DIR", "OCL_ICD_VENDORS", "POCL_EXTRA_BUILD_FLAGS", "NESTWARP_DEVICE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
