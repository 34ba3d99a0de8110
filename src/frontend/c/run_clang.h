// One run of Clang over a file, as the user's arguments say.
#pragma once
#include "frontend/c/c_frontend.h"
#include "clang/Frontend/FrontendAction.h"

namespace nw {

// False where the file has errors, which have been said.
bool runClang(const ParseRequest &request, std::unique_ptr<clang::FrontendAction> action);

} // namespace nw
