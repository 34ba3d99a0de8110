// Types of Clang as the trees' types, and structs with their layout.
#include "frontend/c/convert.h"
#include "frontend/c/math_functions.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include <fmt/format.h>

using namespace clang;

namespace nw {

Type Converter::typeOfValue(QualType t, SourceLocation at) {
  t = t.getCanonicalType();
  if (t.isVolatileQualified())
    refuse("NW0101", at,
           "a volatile object is accessed here; every access must happen, in order, on the host");
  if (t->isAtomicType())
    refuse("NW0101", at, "an atomic object is accessed here; its accesses must stay on the host");
  if (const auto *e = t->getAs<EnumType>()) {
    if (e->getDecl()->getDefinitionOrSelf()->getIntegerType().isNull())
      refuse("NW0102", at, "this enumeration has no complete type");
    return typeOfValue(e->getDecl()->getDefinitionOrSelf()->getIntegerType(), at);
  }
  if (const auto *r = t->getAsRecordDecl()) {
    return Type{Scalar::Void, structOf(r, at)};
  }
  if (const auto *b = t->getAs<BuiltinType>()) {
    switch (b->getKind()) {
    case BuiltinType::Void:
      return typeOf(Scalar::Void);
    case BuiltinType::Bool:
      return typeOf(Scalar::Bool);
    case BuiltinType::Char_S:
    case BuiltinType::SChar:
      return typeOf(Scalar::I8);
    case BuiltinType::Char_U:
    case BuiltinType::UChar:
    case BuiltinType::Char8:
      return typeOf(Scalar::U8);
    case BuiltinType::Short:
      return typeOf(Scalar::I16);
    case BuiltinType::UShort:
    case BuiltinType::Char16:
      return typeOf(Scalar::U16);
    case BuiltinType::Int:
      return typeOf(Scalar::I32);
    case BuiltinType::WChar_S:
      return typeOf(context.getTypeSize(t) == 32 ? Scalar::I32 : Scalar::I16);
    case BuiltinType::WChar_U:
      return typeOf(context.getTypeSize(t) == 32 ? Scalar::U32 : Scalar::U16);
    case BuiltinType::UInt:
    case BuiltinType::Char32:
      return typeOf(Scalar::U32);
    case BuiltinType::Long:
      return typeOf(context.getTypeSize(t) == 64 ? Scalar::I64 : Scalar::I32);
    case BuiltinType::ULong:
      return typeOf(context.getTypeSize(t) == 64 ? Scalar::U64 : Scalar::U32);
    case BuiltinType::LongLong:
      return typeOf(Scalar::I64);
    case BuiltinType::ULongLong:
      return typeOf(Scalar::U64);
    case BuiltinType::Float:
      return typeOf(Scalar::F32);
    case BuiltinType::Double:
      return typeOf(Scalar::F64);
    default:
      break;
    }
  }
  refuse("NW0102", at, "values of type '" + t.getAsString() + "' have no counterpart on a device",
         "use float, double or an integer type of at most 64 bits");
}

// How a device aligns values of the type: numbers to their size, structs as the widest of theirs.
int64_t Converter::naturalAlignment(const Type &type) const {
  if (!type.isStruct())
    return bytesOf(type.scalar);
  int64_t widest = 1;
  for (const Struct &s : structs)
    if (s.name == type.structName)
      for (const Field &f : s.fields)
        widest = std::max(widest, naturalAlignment(f.type));
  return widest;
}

// Adds the struct, after those inside it, to `structs`; its name there.
std::string Converter::structOf(const RecordDecl *r, SourceLocation at) {
  r = r->getDefinition();
  if (!r)
    refuse("NW0102", at, "this struct is not defined here");
  std::string name = r->getNameAsString();
  if (name.empty()) {
    if (const auto *t = r->getTypedefNameForAnonDecl())
      name = t->getNameAsString();
    else
      refuse("NW0102", at, "a struct without a name is accessed here",
             "give it a tag or a typedef name");
  }
  // Structs of one name in different scopes are different structs.
  if (r->getParentFunctionOrMethod())
    name += "_L" + std::to_string(locate(r->getLocation()).line);
  else if (context.getLangOpts().CPlusPlus && !r->getDeclContext()->isTranslationUnit()) {
    name = r->getQualifiedNameAsString();
    for (char &c : name)
      c = isalnum(c) ? c : '_';
  }
  for (const Struct &known : structs)
    if (known.name == name)
      return name;
  if (r->isUnion())
    refuse("NW0102", at, "unions are not supported on devices");
  if (const auto *cxx = dyn_cast<CXXRecordDecl>(r);
      cxx && (!cxx->isStandardLayout() || !cxx->isTriviallyCopyable()))
    refuse("NW0102", at, "class '" + name + "' is not a plain struct");
  Struct made;
  made.name = name;
  made.size = context.getASTRecordLayout(r).getSize().getQuantity();
  constexpr int64_t kLargestStruct = 1 << 24; // its scalars are counted in int
  if (made.size > kLargestStruct)
    refuse("NW0102", at, "struct '" + name + "' is larger than 16 MiB",
           "use arrays outside structs");
  if (r->hasAttr<PackedAttr>() || r->hasAttr<AlignedAttr>())
    refuse("NW0102", at, "struct '" + name + "' has a packed or aligned layout");
  int64_t end = 0, alignment = 1; // as a device lays the fields out
  for (const FieldDecl *f : r->fields()) {
    if (f->isBitField())
      refuse("NW0102", at, "struct '" + name + "' has bit-fields");
    Field field;
    field.name = f->getNameAsString();
    QualType t = f->getType();
    while (const auto *a = context.getAsConstantArrayType(t)) {
      field.extents.push_back(a->getSize().getSExtValue());
      t = a->getElementType();
    }
    if (t->isPointerType() || t->isArrayType() || f->hasAttr<AlignedAttr>())
      refuse("NW0102", at, "struct '" + name + "' contains the pointer '" + field.name + "'",
             "keep the data of a nest in arrays of plain structs");
    field.type = typeOfValue(t, at);
    made.fields.push_back(field);
    int64_t own = naturalAlignment(field.type);
    end = (end + own - 1) / own * own;
    alignment = std::max(alignment, own);
    if (context.toCharUnitsFromBits(context.getFieldOffset(f)).getQuantity() != end)
      refuse("NW0102", at, "struct '" + name + "' has a packed or aligned layout");
    end += context.getTypeSizeInChars(f->getType()).getQuantity();
  }
  if ((end + alignment - 1) / alignment * alignment != made.size)
    refuse("NW0102", at, "struct '" + name + "' has a packed or aligned layout");
  structs.push_back(made);
  return name;
}

} // namespace nw
