// Calls: functions of the library, functions that are one expression, and device functions.
#include "frontend/c/convert.h"
#include "frontend/c/math_functions.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include <cmath>
#include <fmt/format.h>
#include <set>

using namespace clang;

namespace nw {

// Whether a function without a visible body is what the standard says of its name. In C++ other
// namespaces may have functions of that name, and -fno-builtin lets a program bring its own.
bool Converter::isFromLibrary(const FunctionDecl *callee) const {
  const LangOptions &language = context.getLangOpts();
  if (language.NoBuiltin || language.isNoBuiltinFunc(callee->getNameAsString()))
    return false;
  return !language.CPlusPlus || language.CUDA || callee->isInStdNamespace() ||
         callee->isExternC() || context.getSourceManager().isInSystemHeader(callee->getLocation());
}

// A call of a function of math.h or stdlib.h. The overloads of C++ take integers where the result
// is a number, and have abs for numbers.
static ExprP mathCall(const std::string &name, std::vector<ExprP> args, const Type &type) {
  for (ExprP &a : args)
    a = nw::cast(a, type);
  return call(name == "abs" && type.isFloat() ? "fabs" : name, args, type);
}

// What math.h has as macros: the largest number, and questions about numbers. Nothing where it is
// another name. What is no number differs from itself.
static ExprP numberCall(const std::string &name, const std::vector<ExprP> &args, const Type &type) {
  if (args.empty())
    return floatConst(INFINITY, type);
  const ExprP &x = args[0];
  ExprP most = floatConst(INFINITY, x->type), least = floatConst(-INFINITY, x->type);
  if (name == "isnan")
    return binary("!=", x, x, kI32);
  if (name == "isfinite")
    return binary("&&", binary("<", x, most, kI32), binary(">", x, least, kI32), kI32);
  // isinf_sign is -1 where it is below all numbers.
  return binary(name == "isinf" ? "||" : "-", binary("==", x, most, kI32),
                binary("==", x, least, kI32), kI32);
}

// The name without what compilers put before it; empty where it is none of those. Without that,
// only what a header of the system declares is meant: a program may have an isnan of its own.
std::string Converter::numberName(const FunctionDecl *callee, const CallExpr *c) const {
  static const std::set<std::string> kNumbers = {"inf", "inff", "huge_val", "huge_valf"},
                                     kQuestions = {"isnan", "isfinite", "isinf", "isinf_sign"};
  std::string name = callee->getNameAsString();
  bool isBuiltin = name.starts_with("__builtin_");
  if (!isFromLibrary(callee) ||
      (!isBuiltin && !context.getSourceManager().isInSystemHeader(callee->getLocation())))
    return "";
  name = name.substr(isBuiltin ? 10 : 0);
  bool isQuestion = kQuestions.count(name) && c->getNumArgs() == 1 &&
                    c->getArg(0)->IgnoreParenImpCasts()->getType()->isRealFloatingType();
  return isQuestion || (isBuiltin && kNumbers.count(name) && c->getNumArgs() == 0) ? name : "";
}

// Whether it is nan("").
static bool isPlainNan(const std::string &name, const CallExpr *c) {
  const auto *text =
      c->getNumArgs() == 1 ? dyn_cast<StringLiteral>(c->getArg(0)->IgnoreParenImpCasts()) : nullptr;
  return (name == "__builtin_nan" || name == "__builtin_nanf" || name == "nan" || name == "nanf") &&
         text && text->getLength() == 0;
}

// Nodes of an expression that takes a call's place.
static constexpr int kMostInlined = 3000;

ExprP Converter::callValue(const clang::Expr *e, Prelude *out) {
  const auto *c = cast<CallExpr>(e);
  const FunctionDecl *callee = c->getDirectCallee();
  SourceLocation where = e->getExprLoc();
  if (!callee)
    refuse("NW0106", where, "a function is called through a pointer, so its effects are unknown",
           "call it by name");
  std::string name = callee->getNameAsString();
  Type type = typeOfValue(e->getType(), where);
  std::vector<ExprP> args;
  if (context.getLangOpts().CUDA)
    if (ExprP known = deviceCall(e, out))
      return known;
  const FunctionDecl *definition = nullptr;
  bool own = callee->hasBody(definition) &&
             !context.getSourceManager().isInSystemHeader(definition->getLocation());
  if (!own) {
    std::optional<std::string> math;
    if (isFromLibrary(callee))
      math = mathFunction(name);
    std::string number = numberName(callee, c);
    if (isFromLibrary(callee) && isPlainNan(name, c))
      return nw::at(floatConst(NAN, type), locate(where));
    if (!number.empty()) {
      int nodes = 0; // its argument is used more than once: nested, it would grow without bounds
      for (const clang::Expr *a : c->arguments()) {
        args.push_back(value(a->IgnoreParenImpCasts(), out));
        walk(args.back(), [&](const ExprP &) { return ++nodes < kMostInlined; });
      }
      if (nodes >= kMostInlined)
        refuse("NW0105", where, "calls of '" + number + "' stand inside each other too often",
               "keep the inner result in a variable");
      return nw::at(nw::cast(numberCall(number, args, type), type), locate(where));
    }
    if (!math)
      refuse("NW0106", where,
             "'" + name + "' is called, but its body is not visible here; it may have side effects",
             "move the call out of the nest, or make the function's definition visible");
    for (const clang::Expr *a : c->arguments())
      args.push_back(value(a, out));
    return nw::at(mathCall(*math, args, type), locate(where));
  }
  if (!definition)
    refuse("NW0106", where, "'" + name + "' has no visible body");
  if (std::find(inlining.begin(), inlining.end(), definition) != inlining.end() ||
      definition == function)
    refuse("NW0105", where, "'" + name + "' is recursive");
  constexpr size_t kDeepestCalls = 200;
  if (inlining.size() > kDeepestCalls)
    refuse(
        "NW0105", where,
        fmt::format("'{}' is called through a chain of more than {} calls", name, kDeepestCalls));
  if (definition->isVariadic() || isa<CXXMethodDecl>(definition))
    refuse("NW0105", where, "calls of '" + name + "' cannot be inlined");
  auto savedSubstitution = substitution;
  std::vector<std::pair<const VarDecl *, ExprP>> bound;
  bool pointers = false;
  for (unsigned k = 0; k < definition->getNumParams(); k++) {
    const ParmVarDecl *p = definition->getParamDecl(k);
    pointers |= p->getType()->isPointerType() || p->getType()->isReferenceType();
    if (pointers)
      refuse("NW0105", where, "'" + name + "' takes a pointer",
             "pass values, or write the function's body into the nest");
    args.push_back(
        nw::cast(value(c->getArg(k), out), typeOfValue(p->getType().getUnqualifiedType(), where)));
    bound.push_back({p, args.back()});
  }
  // A body that only returns an expression, perhaps by cases, is substituted: its accesses stay
  // visible.
  const auto *body = dyn_cast<CompoundStmt>(definition->getBody());
  inlining.push_back(definition);
  for (auto &[p, a] : bound)
    substitution[p] = a;
  ExprP inlined;
  if (body && !notInlined.count(definition)) {
    refuseDeep(body);
    std::vector<const clang::Stmt *> list(body->body_begin(), body->body_end());
    inlined = returned(list, 8);
  }
  inlining.pop_back();
  substitution = savedSubstitution;
  if (inlined) {
    int nodes = 0;
    walk(inlined, [&](const ExprP &) { return ++nodes < kMostInlined; });
    if (nodes < kMostInlined)
      return nw::cast(inlined, type);
  }
  // Where it is not because of the arguments, trying again at each of its calls would take
  // exponentially long.
  int ownNodes = inlined ? 0 : kMostInlined;
  if (inlined)
    walk(inlined, [&](const ExprP &x) {
      return ++ownNodes < kMostInlined && std::count(args.begin(), args.end(), x) == 0;
    });
  if (ownNodes >= kMostInlined)
    notInlined.insert(definition);
  return nw::at(call(deviceFunction(definition, where), args, type), locate(where));
}

// The value of a function body made of returns and ifs alone; null where it is anything else.
ExprP Converter::returned(llvm::ArrayRef<const clang::Stmt *> list, int budget) {
  if (list.empty() || budget == 0)
    return nullptr;
  const clang::Stmt *first = list[0];
  if (const auto *b = dyn_cast<CompoundStmt>(first)) {
    std::vector<const clang::Stmt *> all(b->body_begin(), b->body_end());
    all.insert(all.end(), list.begin() + 1, list.end());
    return returned(all, budget);
  }
  if (const auto *r = dyn_cast<ReturnStmt>(first))
    return r->getRetValue() ? value(r->getRetValue(), nullptr) : nullptr;
  if (const auto *i = dyn_cast<IfStmt>(first)) {
    if (i->getConditionVariable() || i->getInit())
      return nullptr;
    ExprP then = returned({i->getThen()}, budget - 1);
    std::vector<const clang::Stmt *> rest;
    if (i->getElse())
      rest.push_back(i->getElse());
    rest.insert(rest.end(), list.begin() + 1, list.end());
    ExprP otherwise = then ? returned(rest, budget - 1) : nullptr;
    if (!otherwise)
      return nullptr;
    return select(value(i->getCond(), nullptr), then, otherwise, then->type);
  }
  return nullptr;
}

} // namespace nw
