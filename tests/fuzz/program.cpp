// Small operations on the representation.
#include "program.h"

namespace nw::fuzz {

std::string cName(ElementType t) {
  switch (t) {
  case ElementType::SignedChar:
    return "signed char";
  case ElementType::Short:
    return "short";
  case ElementType::Int:
    return "int";
  case ElementType::Unsigned:
    return "unsigned";
  case ElementType::LongLong:
    return "long long";
  case ElementType::Float:
    return "float";
  case ElementType::Double:
    return "double";
  case ElementType::CharWithSign:
  case ElementType::CharWithoutSign:
    return "char";
  }
  return "";
}

bool isPromoted(ElementType t) {
  return t == ElementType::SignedChar || t == ElementType::CharWithSign ||
         t == ElementType::CharWithoutSign || t == ElementType::Short;
}

int bytesOf(ElementType t) {
  switch (t) {
  case ElementType::SignedChar:
  case ElementType::CharWithSign:
  case ElementType::CharWithoutSign:
    return 1;
  case ElementType::Short:
    return 2;
  case ElementType::LongLong:
  case ElementType::Double:
    return 8;
  default:
    return 4;
  }
}

Affine operator+(const Affine &a, const Affine &b) {
  Affine sum = a;
  sum.constant += b.constant;
  for (auto &[name, factor] : b.terms)
    if ((sum.terms[name] += factor) == 0)
      sum.terms.erase(name);
  return sum;
}

Affine operator*(int factor, const Affine &a) {
  Affine product;
  if (factor == 0)
    return product;
  product.constant = factor * a.constant;
  for (auto &[name, f] : a.terms)
    product.terms[name] = factor * f;
  return product;
}

const Storage *Program::find(const std::string &storage) const {
  for (const Storage &s : storages)
    if (s.name == storage)
      return &s;
  return nullptr;
}

std::vector<std::string> Program::flags() const {
  std::vector<std::string> all = {charIsUnsigned ? "-funsigned-char" : "-fsigned-char"};
  if (wraps)
    all.push_back("-fwrapv");
  return all;
}

bool Program::mayWrap(ElementType t) const {
  return isPromoted(t) || t == ElementType::Unsigned || (wraps && t == ElementType::Int);
}

} // namespace nw::fuzz
