// Small helpers on text and files.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace nw {

// The given line, counted from 1, without its end.
std::string lineOf(const std::string &text, int line);
std::string joined(const std::vector<std::string> &parts, const std::string &between);
std::string indented(const std::string &text, int spaces);
// Control characters as \x1b, except those in `kept`: what comes from elsewhere must not steer the
// terminal.
std::string withoutControls(const std::string &text, const std::string &kept = "");
// As a string literal of C, with its quotes; also for #line.
std::string quotedForC(const std::string &text);
// For inside a comment of C: does not end it.
std::string forComment(const std::string &text);
bool isIdentifier(const std::string &text);

// Throws UserError when the file cannot be read, or has more than `most` bytes.
std::string readFile(const std::string &path, size_t most = SIZE_MAX);
// Writes to a temporary name beside the target and renames, so that no half-written file is ever
// seen.
void writeFile(const std::string &path, const std::string &text);

} // namespace nw
