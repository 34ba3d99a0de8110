// Facts about the arithmetic types.
#include "ir/type.h"

namespace nw {

bool isUnsigned(Scalar s) {
  return s == Scalar::Bool || s == Scalar::U8 || s == Scalar::U16 || s == Scalar::U32 ||
         s == Scalar::U64;
}

static bool isFloating(Scalar s) { return s == Scalar::F32 || s == Scalar::F64; }

Scalar promoted(Scalar s) { return isFloating(s) || bitsOf(s) >= 32 ? s : Scalar::I32; }

Scalar commonType(Scalar a, Scalar b) {
  if (isFloating(a) || isFloating(b))
    return a == Scalar::F64 || b == Scalar::F64 ? Scalar::F64 : Scalar::F32;
  a = promoted(a);
  b = promoted(b);
  if (bitsOf(a) != bitsOf(b))
    return bitsOf(a) > bitsOf(b) ? a : b;
  return isUnsigned(a) ? a : b;
}

int bitsOf(Scalar s) {
  switch (s) {
  case Scalar::Void:
    return 0;
  case Scalar::Bool:
    return 1;
  case Scalar::I8:
  case Scalar::U8:
    return 8;
  case Scalar::I16:
  case Scalar::U16:
    return 16;
  case Scalar::I32:
  case Scalar::U32:
  case Scalar::F32:
    return 32;
  case Scalar::I64:
  case Scalar::U64:
  case Scalar::F64:
    return 64;
  }
  return 0;
}

int bytesOf(Scalar s) { return s == Scalar::Bool ? 1 : bitsOf(s) / 8; }

std::string lowestOf(Scalar s) {
  switch (s) {
  case Scalar::I8:
    return "-128";
  case Scalar::I16:
    return "-32768";
  case Scalar::I32:
    return "-2147483648";
  case Scalar::I64:
    return "-9223372036854775808";
  default:
    return "0";
  }
}

std::string highestOf(Scalar s) {
  switch (s) {
  case Scalar::Bool:
    return "1";
  case Scalar::I8:
    return "127";
  case Scalar::U8:
    return "255";
  case Scalar::I16:
    return "32767";
  case Scalar::U16:
    return "65535";
  case Scalar::I32:
    return "2147483647";
  case Scalar::U32:
    return "4294967295";
  case Scalar::I64:
    return "9223372036854775807";
  case Scalar::U64:
    return "18446744073709551615";
  default:
    return "0";
  }
}

std::string cName(Scalar s) {
  switch (s) {
  case Scalar::Void:
    return "void";
  case Scalar::Bool:
    return "_Bool";
  case Scalar::I8:
    return "signed char";
  case Scalar::U8:
    return "unsigned char";
  case Scalar::I16:
    return "short";
  case Scalar::U16:
    return "unsigned short";
  case Scalar::I32:
    return "int";
  case Scalar::U32:
    return "unsigned";
  case Scalar::I64:
    return "long long";
  case Scalar::U64:
    return "unsigned long long";
  case Scalar::F32:
    return "float";
  case Scalar::F64:
    return "double";
  }
  return "void";
}

std::string cName(const Type &t) {
  return t.isStruct() ? "struct " + t.structName : cName(t.scalar);
}

} // namespace nw
