#include "opencl.h"
#include "failure.h"
#include "opencl_side.h"
#include <dlfcn.h>

namespace board {

OpenClLibrary::OpenClLibrary(void *library) : library_(library) {
  if (const char *why = function<decltype(board_cl_open)>("board_cl_open")())
    throw Failure(why);
}

template <class F> F *OpenClLibrary::function(const char *name) const {
  auto found = reinterpret_cast<F *>(dlsym(library_, name));
  if (!found)
    throw Failure(std::string("the library has no ") + name);
  return found;
}

void OpenClLibrary::must(int error, const char *what) const {
  if (error)
    throw Failure(std::string(what) + ": OpenCL error " + std::to_string(error));
}

void *OpenClLibrary::bufferOf(const Memory &memory) {
  for (const Mirror &mirror : mirrors_)
    if (mirror.memory == &memory)
      return mirror.buffer;
  auto made = [&] {
    void *buffer = function<decltype(board_cl_buffer)>("board_cl_buffer")(memory.bytes());
    return buffer ? buffer : throw Failure("no memory for a buffer of OpenCL");
  };
  Mirror mirror{&memory, made(), nullptr};
  if (memory.before() != Memory::Before::Poisoned) {
    std::vector<char> content(memory.bytes());
    copyToHost(content.data(), memory.content(), memory.bytes());
    if (memory.before() == Memory::Before::Restored)
      mirror.original = made();
    must(function<decltype(board_cl_write)>("board_cl_write")(
             mirror.original ? mirror.original : mirror.buffer, content.data(), memory.bytes()),
         "write");
  }
  mirrors_.push_back(mirror);
  return mirror.buffer;
}

void OpenClLibrary::prepare() {
  for (const Mirror &mirror : mirrors_)
    if (mirror.original)
      must(function<decltype(board_cl_copy)>("board_cl_copy")(mirror.original, mirror.buffer,
                                                              mirror.memory->bytes()),
           "copy");
    else if (mirror.memory->before() == Memory::Before::Poisoned)
      must(function<decltype(board_cl_fill)>("board_cl_fill")(mirror.buffer, 0xff,
                                                              mirror.memory->bytes()),
           "fill");
}

void OpenClLibrary::fetch() {
  for (const Mirror &mirror : mirrors_)
    if (mirror.memory->before() != Memory::Before::Kept) {
      std::vector<char> content(mirror.memory->bytes());
      must(function<decltype(board_cl_read)>("board_cl_read")(mirror.buffer, content.data(),
                                                              content.size()),
           "read");
      copyToDevice(mirror.memory->device(), content.data(), content.size());
    }
}

void *OpenClLibrary::queue() const {
  return function<decltype(board_cl_queue)>("board_cl_queue")();
}
void OpenClLibrary::begin() {
  must(function<decltype(board_cl_begin)>("board_cl_begin")(), "begin");
}

double OpenClLibrary::end() {
  double took = 0;
  int byDevice = 0;
  must(function<decltype(board_cl_end)>("board_cl_end")(&took, &byDevice), "end");
  clock_ = byDevice ? "by the device's clock" : "by the host's clock";
  return took;
}

} // namespace board
