// A copy of 4, 8 or 16 bytes to shared memory that goes on by itself, until nw_wait_async.
template <typename T> __device__ inline void nw_copy_async(T *to, const T *from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from), "n"(sizeof(T)) : "memory");
#else
  *to = *from;
#endif
}
__device__ inline void nw_wait_async() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}
