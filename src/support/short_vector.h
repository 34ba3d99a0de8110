// A vector that keeps its elements where it stands as long as they are few: made and copied without
// asking for memory.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace nw {

template <class T, size_t N> class ShortVector {
public:
  ShortVector() = default;
  ShortVector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  ShortVector(const ShortVector &o) { assign(o.begin(), o.end()); }
  ShortVector &operator=(const ShortVector &o) {
    if (this != &o)
      assign(o.begin(), o.end());
    return *this;
  }

  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T *begin() { return data(); }
  T *end() { return data() + count; }
  const T *begin() const { return data(); }
  const T *end() const { return data() + count; }
  T &operator[](size_t k) { return data()[k]; }
  const T &operator[](size_t k) const { return data()[k]; }
  T &back() { return data()[count - 1]; }

  void clear() { count = 0; }
  void resize(size_t size, const T &value = T()) {
    size_t before = count;
    if (size > N) {
      if (before <= N)
        many.assign(few.begin(), few.begin() + before);
      many.resize(size, value);
    } else if (before > N) {
      std::copy(many.begin(), many.begin() + long(size), few.begin());
    }
    count = size;
    if (size > before && size <= N)
      std::fill(few.begin() + before, few.begin() + size, value);
  }
  void push_back(const T &value) { resize(count + 1, value); }

private:
  template <class From> void assign(From first, From last) {
    count = size_t(last - first);
    if (count > N)
      many.assign(first, last);
    else
      std::copy(first, last, few.begin());
  }
  T *data() { return count > N ? many.data() : few.data(); }
  const T *data() const { return count > N ? many.data() : few.data(); }

  size_t count = 0;
  std::array<T, N> few;
  std::vector<T> many; // all of them, where they are more than N
};

} // namespace nw
