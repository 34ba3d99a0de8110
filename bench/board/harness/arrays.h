// Arrays on the device, with what they must hold before a column runs.
#pragma once
#include <cuda_runtime.h>
#include <memory>
#include <vector>

namespace board {

/// Memory of the device. `prepare` is called before every run of a column, outside of the time.
class Memory {
public:
  enum class Before { Kept, Restored, Poisoned };

  /// Input if `data` is given (Kept: columns only read it; Restored: they change it), else an
  /// output of `bytes`.
  Memory(size_t bytes, const void *data, Before before);
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  void prepare(cudaStream_t stream) const;
  void *device() const { return device_; }
  size_t bytes() const { return bytes_; }
  Before before() const { return before_; }
  /// Where an input's content is, whatever columns have done to it.
  const void *content() const { return original_ ? original_ : device_; }

private:
  size_t bytes_;
  Before before_;
  void *device_ = nullptr, *original_ = nullptr;
};

/// A typed view of Memory that the Board owns; `host` is the input as the reference sees it, empty
/// for an output.
template <class T> struct Array {
  const Memory *memory;
  std::vector<T> host;
  size_t count;

  T *device() const { return static_cast<T *>(memory->device()); }

  /// What is in it now.
  std::vector<T> result() const;
};

void copyToHost(void *to, const void *from, size_t bytes);
void copyToDevice(void *to, const void *from, size_t bytes);

template <class T> std::vector<T> Array<T>::result() const {
  std::vector<T> values(count);
  copyToHost(values.data(), device(), count * sizeof(T));
  return values;
}

} // namespace board
