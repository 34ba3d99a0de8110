// One run of Clang over a CUDA file, device side: kernels and launches are both in it. The
// toolkit's headers are used, or nestwarp's own.
#pragma once
#include "frontend/c/c_frontend.h"
#include "clang/Frontend/FrontendAction.h"

namespace nw {

// `text` stands for the file's own where it differs or was given. False where there are errors,
// which have been said.
bool runCuda(const ParseRequest &request, const std::string &text, bool isChanged,
             std::unique_ptr<clang::FrontendAction> action);

} // namespace nw
