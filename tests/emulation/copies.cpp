// Asynchronous copies: as functions, and as the instructions that texts without headers use.
#include "threads.h"
#include <cstdlib>
#include <cstring>

namespace emulation {

void copyAsync(void *to, const void *from, size_t bytes, size_t zeros) {
  if (bytes > zeros)
    access(from, bytes - zeros, AccessKind::Load);
  access(to, bytes, AccessKind::Store);
  current->copies.push_back({to, from, bytes, zeros});
}

void commitCopies() {
  current->groups.push_back(current->copies.size());
  if (order() == 0)
    waitForCopies(0);
}

void waitForCopies(unsigned youngest) {
  Thread &self = *current;
  if (self.groups.size() <= youngest)
    return;
  size_t groups = self.groups.size() - youngest, end = self.groups[groups - 1];
  for (size_t k = 0; k < end; k++) {
    Copy &c = self.copies[k];
    std::memcpy(c.to, c.from, c.bytes - c.zeros);
    std::memset(static_cast<char *>(c.to) + c.bytes - c.zeros, 0, c.zeros);
  }
  self.copies.erase(self.copies.begin(), self.copies.begin() + end);
  self.groups.erase(self.groups.begin(), self.groups.begin() + groups);
  for (size_t &g : self.groups)
    g -= end;
}

size_t sharedAddress(const void *memory) { return uint32_t(uintptr_t(memory)); }

void *sharedPointer(uint64_t address) {
  for (const SharedArray &a : current->block->arrays)
    if (uint32_t offset = uint32_t(address) - uint32_t(uintptr_t(a.memory)); offset <= a.bytes)
      return a.memory + offset;
  mistake("an instruction uses the address %#llx, which is not in shared memory",
          (unsigned long long)address);
}

void assembly(const char *instruction, std::initializer_list<uint64_t> operands) {
  const uint64_t *operand = operands.begin();
  auto begins = [&](const char *text) {
    return std::strncmp(instruction, text, std::strlen(text)) == 0;
  };
  // A number of the text, or an operand such as %2.
  auto number = [&](const char *text) {
    text += std::strspn(text, " ,");
    return *text == '%' ? operand[std::atoi(text + 1)] : uint64_t(std::atoi(text));
  };
  if (!*instruction) // it only keeps the compiler from moving what stands around it
    return;
  if (begins("cp.async.commit_group"))
    return commitCopies();
  if (begins("cp.async.wait_all")) {
    commitCopies();
    return waitForCopies(0);
  }
  if (begins("cp.async.wait_group"))
    return waitForCopies(number(instruction + std::strlen("cp.async.wait_group")));
  if (begins("cp.async.ca.shared.global") ||
      begins("cp.async.cg.shared.global")) { // [%0], [%1], bytes, and bytes to read
    const char *rest = std::strstr(instruction, "[%1]");
    if (std::strstr(instruction, "[%0]") && rest) {
      uint64_t bytes = number(rest + 4);
      const char *more = std::strchr(rest + 5, ','); // behind the bytes
      uint64_t taken = more ? number(more) : bytes;
      return copyAsync(sharedPointer(operand[0]), (const void *)operand[1], bytes, bytes - taken);
    }
  }
  mistake("assembly that the emulation does not know: %s", instruction);
}

} // namespace emulation
