// What a job of a bundle takes along of the user's files and settings.
#pragma once
#include "driver/pipeline.h"
#include "tune/bundle.h"

namespace nw {

// "n=4;m=5" and back.
std::string joinedSettings(const std::map<std::string, std::string> &all);
std::map<std::string, std::string> splitSettings(const std::string &text);
// The name with letters, digits and '_' only.
std::string plainName(const std::string &name);
// What the source is called under input/: its own name, or for a CUDA file that of its kernels as
// functions of loops.
std::string inputName(const Compilation &c, const CompileOptions &options);
// The source and its headers under input/, and headers of -I folders under include0/ and so on.
// Throws UserError where one lies elsewhere.
void addInput(BundleJob &job, const Compilation &c, const CompileOptions &options);

} // namespace nw
