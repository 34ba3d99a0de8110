// Exit statuses, the same in every command (docs/guide.md, "Exit status").
#pragma once

namespace nw {

enum ExitStatus : int {
  kDone = 0,           // done, and nothing to complain about
  kFailed = 1,         // refused: the source, a file, the compiler, or results that differ
  kUsage = 2,          // the command line is wrong; nothing was done
  kNothingChecked = 3, // check: nothing differs, but something did not run on a device
  kInternal = 70,      // a bug of nestwarp
  kInterrupted = 130,  // stopped by the user
};

} // namespace nw
