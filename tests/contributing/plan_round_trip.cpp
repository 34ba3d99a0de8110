// Reads plans from standard input and prints them again; a message and status 1 where they are
// refused.
#include "plan/plan.h"
#include "support/diagnostics.h"
#include <cstdio>
#include <iostream>
#include <iterator>

int main() {
  std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  try {
    std::fputs(nw::toJson(nw::fromJson(text)).c_str(), stdout);
  } catch (const nw::UserError &e) {
    std::fprintf(stderr, "%s\n", e.message.c_str());
    return 1;
  }
}
