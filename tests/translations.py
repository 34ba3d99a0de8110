"""Translations that cases of several suites look at, made once."""
import hashlib
import os
import harness


@harness.once
def for_h200(path):
    """CUDA for the H200 as proposed: the folder with out.cu, out.host.c and plan.json."""
    name = hashlib.sha256(path.encode()).hexdigest()[:12]
    folder = os.path.join(harness.shared_scratch(), "h200", name)
    os.makedirs(folder)
    harness.run([harness.NESTWARP, "compile", "-q", "--target=cuda", "--device=h200", path,
                 "-o", os.path.join(folder, "out.cu"), "--plan-out",
                 os.path.join(folder, "plan.json")])
    return folder
