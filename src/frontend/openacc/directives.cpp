// The words of the standard.
#include "frontend/openacc/directives.h"

namespace nw::openacc {

const char *nameOf(DirectiveKind kind) {
  switch (kind) {
  case DirectiveKind::Parallel:
    return "parallel";
  case DirectiveKind::Kernels:
    return "kernels";
  case DirectiveKind::Serial:
    return "serial";
  case DirectiveKind::ParallelLoop:
    return "parallel loop";
  case DirectiveKind::KernelsLoop:
    return "kernels loop";
  case DirectiveKind::SerialLoop:
    return "serial loop";
  case DirectiveKind::Loop:
    return "loop";
  case DirectiveKind::Data:
    return "data";
  case DirectiveKind::EnterData:
    return "enter data";
  case DirectiveKind::ExitData:
    return "exit data";
  case DirectiveKind::HostData:
    return "host_data";
  case DirectiveKind::Update:
    return "update";
  case DirectiveKind::Wait:
    return "wait";
  case DirectiveKind::Init:
    return "init";
  case DirectiveKind::Shutdown:
    return "shutdown";
  case DirectiveKind::Set:
    return "set";
  case DirectiveKind::Cache:
    return "cache";
  case DirectiveKind::Atomic:
    return "atomic";
  case DirectiveKind::Routine:
    return "routine";
  case DirectiveKind::Declare:
    return "declare";
  }
  return "";
}

const char *nameOf(DataKind kind) {
  switch (kind) {
  case DataKind::Copy:
    return "copy";
  case DataKind::CopyIn:
    return "copyin";
  case DataKind::CopyOut:
    return "copyout";
  case DataKind::Create:
    return "create";
  case DataKind::Present:
    return "present";
  case DataKind::NoCreate:
    return "no_create";
  case DataKind::DevicePtr:
    return "deviceptr";
  case DataKind::Attach:
    return "attach";
  case DataKind::Detach:
    return "detach";
  case DataKind::Delete:
    return "delete";
  case DataKind::UseDevice:
    return "use_device";
  case DataKind::Host:
    return "self";
  case DataKind::Device:
    return "device";
  case DataKind::FirstPrivate:
    return "firstprivate";
  }
  return "";
}

} // namespace nw::openacc
