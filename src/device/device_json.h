// A device as a JSON file: one object, a field for each line of device_fields.h.
#pragma once
#include "device/device_spec.h"

namespace nw {

// Reads one device. Every field must be there, unless the file names a device of the catalogue in
// "like": then that one says the rest. `file` is for messages. Throws UserError: file, field, what
// is wrong and what to do.
DeviceSpec deviceFromJson(const std::string &text, const std::string &file);
// The same, without "like" and without the catalogue, for the catalogue's own files.
DeviceSpec completeDeviceFromJson(const std::string &text, const std::string &file);
std::string toJson(const DeviceSpec &device);
// Throws UserError when the fields contradict each other: more shared memory for a block than a
// multiprocessor has.
void checkDevice(const DeviceSpec &device, const std::string &file);

// The words of the choices, as they stand in files.
std::string nameOf(DeviceKind kind);
std::string nameOf(CoalescingRule rule);
std::string nameOf(SubWordRule rule);
std::string nameOf(WideRule rule);
std::string nameOf(RegisterUnit unit);

} // namespace nw
