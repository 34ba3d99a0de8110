// The entry for arrays on the device has the same name for users, whichever command made it.
// RUN: rm -rf %t && mkdir -p %t
// RUN: %nestwarp compile -q --target=opencl %s -o %t/device_header.cl.c
// RUN: FileCheck --check-prefix=COMPILE --input-file=%t/device_header.device.h %s
// RUN: %nestwarp cc --quiet --save-temps=%t/saved -c %s -o %t/out.o
// RUN: FileCheck --check-prefix=CC --input-file=%t/saved/device_header.device.h %s
// RUN: gcc -Wall -Werror -c -DUSE -include %t/device_header.device.h %s -o %t/one.o
// RUN: gcc -Wall -Werror -c -DUSE -include %t/saved/device_header.device.h %s -o %t/other.o
// RUN: nm %t/out.o %t/other.o | FileCheck --check-prefix=SYMBOLS %s
// COMPILE: int nw_device_header_scale_0_on_device(void *a, int n, void *stream); /* device_header.c:21 */
// COMPILE-NOT: #define
// CC: int [[ENTRY:nw_[0-9a-f]+_device_header_scale_0_on_device]](void *a, int n, void *stream); /* device_header.c:21 */
// CC: #define nw_device_header_scale_0_on_device [[ENTRY]]
// SYMBOLS: T [[ENTRY:nw_[0-9a-f]+_device_header_scale_0_on_device]]
// SYMBOLS: U [[ENTRY]]
#ifdef USE
int use(void *a, void *stream) { return nw_device_header_scale_0_on_device(a, 100, stream); }
#else
void scale(int n, float *a) {

  for (int i = 0; i < n; i++)
    a[i] = 3 * a[i];
}
#endif
