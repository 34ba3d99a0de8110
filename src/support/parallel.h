// Work on values that belong to one isl context, which threads must not share, several pieces at a
// time: in processes that begin as copies of this one.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace nw {

using Deadline = std::optional<std::chrono::steady_clock::time_point>;

// Calls `work` with 0 to count - 1, in as many processes as there are processors; what each gives,
// in order. Nothing where the process crashed, and for pieces that were not begun by the deadline
// or when `isStopped` began to hold.
std::vector<std::optional<std::string>> inProcesses(size_t count,
                                                    const std::function<std::string(size_t)> &work,
                                                    const Deadline &deadline = {},
                                                    const std::function<bool()> &isStopped = {});

} // namespace nw
