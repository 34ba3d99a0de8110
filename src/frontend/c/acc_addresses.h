// What the block of a host_data directive does with the names that mean addresses on the device
// there. Passing such an address on always works. Computing with one works where it is an address,
// which a buffer of OpenCL is not; reading through one works nowhere.
#pragma once
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"

namespace nw {

// The first positions of each kind, nullptr if there is none. Of pointers that the block sets to
// the variable, those are meant that it sets to nothing else. Compute constructs inside are left
// out: they run on the device.
struct AddressUses {
  const clang::Expr *computed = nullptr; // a + 1, &a[1], a++
  const clang::Expr *read = nullptr;     // a[1], *a, also as the target of an assignment
};

AddressUses addressUses(const clang::Stmt *block, const clang::VarDecl *variable,
                        const clang::ASTContext &context);

} // namespace nw
