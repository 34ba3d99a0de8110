// Text and files.
#include "support/text.h"
#include "support/diagnostics.h"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace nw {

std::string lineOf(const std::string &text, int line) {
  size_t begin = 0;
  for (int k = 1; k < line; k++) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos)
      return "";
    begin++;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string joined(const std::vector<std::string> &parts, const std::string &between) {
  std::string out;
  for (size_t k = 0; k < parts.size(); k++)
    out += (k ? between : "") + parts[k];
  return out;
}

std::string indented(const std::string &text, int spaces) {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    out += (line.empty() ? "" : std::string(spaces, ' ')) + line + "\n";
  return out;
}

std::string withoutControls(const std::string &text, const std::string &kept) {
  std::string out;
  char code[8];
  for (size_t k = 0; k < text.size(); k++) {
    unsigned char c = (unsigned char)text[k], before = k ? (unsigned char)text[k - 1] : 0;
    bool isControl = c < 0x20 || c == 0x7f ||
                     (before == 0xc2 && c >= 0x80 && c < 0xa0); // the last: a second set, in UTF-8
    if (!isControl || kept.find(char(c)) != std::string::npos) {
      out += char(c);
      continue;
    }
    if (c >= 0x80)
      out.pop_back();
    std::snprintf(code, sizeof code, "\\x%02x", unsigned(c));
    out += code;
  }
  return out;
}

std::string quotedForC(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '\n')
      out += "\\n";
    else
      out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + "\"";
}

std::string forComment(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == '/' && out.ends_with('*'))
      out += ' ';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

bool isIdentifier(const std::string &text) {
  if (text.empty() || isdigit(text[0]))
    return false;
  for (char c : text)
    if (!isalnum(c) && c != '_')
      return false;
  return true;
}

std::string readFile(const std::string &path, size_t most) {
  std::ifstream in(path, std::ios::binary);
  struct stat about;
  if (!in || stat(path.c_str(), &about) != 0 || S_ISDIR(about.st_mode))
    throw UserError{"cannot read '" + path + "': " + std::strerror(errno ? errno : EISDIR)};
  std::string all;
  char piece[65536];
  while (in.read(piece, sizeof piece), in.gcount() > 0) {
    all.append(piece, size_t(in.gcount()));
    if (all.size() > most)
      throw UserError{"'" + path + "' is too large: more than " + std::to_string(most >> 20) +
                      " MiB"};
  }
  return all;
}

void writeFile(const std::string &path, const std::string &text) {
  std::string temporary = path + ".tmp" + std::to_string(getpid());
  std::ofstream out(temporary, std::ios::binary);
  out << text;
  out.close();
  if (!out || std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::string why = std::strerror(errno);
    std::remove(temporary.c_str());
    throw UserError{"cannot write '" + path + "': " + why};
  }
}

} // namespace nw
