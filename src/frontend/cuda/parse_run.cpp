// The command line of that run, and the files that it sees.
#include "frontend/cuda/parse_run.h"
#include "frontend/cuda/cuda_header.h"
#include "support/install_paths.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <filesystem>
#include <fmt/format.h>

using namespace clang;

namespace nw {

namespace {

// Where the toolkit is; empty: there is none, or none is wanted (NESTWARP_CUDA_PATH=none).
std::string toolkit() {
  auto isThere = [](const std::string &path) {
    return llvm::sys::fs::exists(path + "/include/cuda_runtime.h");
  };
  for (const char *variable : {"NESTWARP_CUDA_PATH", "CUDA_PATH", "CUDA_HOME"})
    if (const char *given = getenv(variable); given && *given)
      return isThere(given) ? given : "";
  if (auto nvcc = llvm::sys::findProgramByName("nvcc")) {
    llvm::SmallString<256> real;
    if (!llvm::sys::fs::real_path(*nvcc, real))
      if (std::string folder =
              llvm::sys::path::parent_path(llvm::sys::path::parent_path(real)).str();
          isThere(folder))
        return folder;
  }
  return isThere("/usr/local/cuda") ? "/usr/local/cuda" : "";
}

constexpr const char *kOwnFolder = "/nestwarp-cuda"; // in memory only

} // namespace

bool runCuda(const ParseRequest &request, const std::string &text, bool isChanged,
             std::unique_ptr<FrontendAction> action) {
  std::string found = toolkit();
  std::vector<std::string> line = {"clang-tool",
                                   "-fbracket-depth=100000",
                                   "-x",
                                   "cuda",
                                   "--cuda-device-only",
                                   "--cuda-gpu-arch=sm_90",
                                   "-nocudalib",
                                   "-Wno-unknown-cuda-version",
                                   "-Xclang",
                                   "-target-sdk-version=12.8"}; // how launches are checked
  if (found.empty())
    line.insert(line.end(), {"-nocudainc", "-isystem", kOwnFolder, "-include",
                             std::string(kOwnFolder) + "/cuda_runtime.h"});
  else
    line.push_back("--cuda-path=" + found);
  line.insert(line.end(), request.arguments.begin(), request.arguments.end());
  line.insert(line.end(), {"-w", "-fsyntax-only", "-resource-dir",
                           clangResources(NESTWARP_CLANG_RESOURCES), request.file});
  auto visible =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  auto given = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  if (found.empty())
    for (const char *name :
         {"cuda_runtime.h", "cuda.h", "cuda_runtime_api.h", "device_launch_parameters.h"})
      given->addFile(fmt::format("{}/{}", kOwnFolder, name), 0,
                     llvm::MemoryBuffer::getMemBufferCopy(std::string(name) == "cuda_runtime.h"
                                                              ? cudaHeader()
                                                              : "#include <cuda_runtime.h>\n"));
  if (request.text || isChanged)
    for (const std::string &name : {request.file, std::filesystem::absolute(request.file).string()})
      given->addFile(name, 0, llvm::MemoryBuffer::getMemBufferCopy(text));
  visible->pushOverlay(given);
  IntrusiveRefCntPtr<FileManager> files(new FileManager(FileSystemOptions(), visible));
  tooling::ToolInvocation invocation(line, std::move(action), files.get());
  return invocation.run();
}

} // namespace nw
