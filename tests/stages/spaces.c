// The memories of arrays: what each policy picks for which device, what the text says, and plans that ask for what cannot be.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %nestwarp compile -q --emit=plan %s -o %t/plan.json && FileCheck --check-prefix=DEFAULT --input-file=%t/plan.json %s
// RUN: %nestwarp compile -q --emit=plan --device=gtx-285 %s | FileCheck --check-prefix=OLD %s
// RUN: %nestwarp compile -q --emit=plan --device=gtx-285 --policy=patterns %s | FileCheck --check-prefix=PATTERNS %s
// RUN: %nestwarp compile -q --emit=opencl --device=gtx-285 %s | FileCheck --check-prefix=CONSTANT %s
// RUN: %nestwarp compile -q --emit=cuda --device=gtx-285 %s | FileCheck --check-prefix=CUDA %s
// RUN: not %nestwarp compile -q --emit=plan --policy=time %s 2>&1 | FileCheck --check-prefix=POLICY %s
// RUN: sed -e '/"name": "out"/{n;s/global/constant/}' %t/plan.json > %t/written.json && not %nestwarp compile -q --emit=cuda --plan %t/written.json %s 2>&1 | FileCheck --check-prefix=WRITTEN %s
// RUN: sed -e '/"name": "out"/{n;s/global/read-only/}' %t/plan.json > %t/promised.json && not %nestwarp compile -q --emit=cuda --plan %t/promised.json %s 2>&1 | FileCheck --check-prefix=PROMISED %s
// RUN: sed -e '/"name": "in"/{n;s/read-only/constant/}' %t/plan.json > %t/large.json && not %nestwarp compile -q --emit=cuda --plan %t/large.json %s 2>&1 | FileCheck --check-prefix=LARGE %s
// RUN: sed -e '/"name": "filter"/{n;s/read-only/constant/}' %t/plan.json > %t/constant.json && %nestwarp compile -q --emit=opencl --plan %t/constant.json %s | FileCheck --check-prefix=CONSTANT %s
// RUN: sed -e '/"name": "in"/{n;s/read-only/global/}' %t/plan.json > %t/plain.json && %nestwarp compile -q --emit=cuda --plan %t/plain.json %s | FileCheck --check-prefix=PLAIN %s
// DEFAULT: "arrays": [
// DEFAULT: "name": "filter",
// DEFAULT-NEXT: "space": "read-only",
// DEFAULT-NEXT: "why": "only read here: 36 bytes, all threads of a warp at one address
// OLD: "name": "filter",
// OLD-NEXT: "space": "constant",
// OLD: "name": "in",
// OLD-NEXT: "space": "read-only",
// PATTERNS: "name": "filter",
// PATTERNS-NEXT: "space": "constant",
// PATTERNS-NEXT: "why": "patterns: constant memory (small, all threads read one address)
// CONSTANT: __constant float (*filter)[3]
// CUDA: const float (*__restrict__ filter)[3]
// POLICY: --policy
// WRITTEN: kernel step0 cannot have out in constant memory: the kernel writes it
// PROMISED: kernel step0 cannot declare out read-only: the kernel writes it
// LARGE: kernel step0 cannot have in in constant memory: its size is not the same for all arguments
// PLAIN: const float *in
void filtered(int h, int w, float in[h + 2][w + 2], float out[h][w], float filter[3][3]) {
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      float sum = 0;
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
          sum += in[y + k][x + l] * filter[k][l];
      out[y][x] = sum;
    }
}
