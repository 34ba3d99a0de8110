// isl in C++: the binding, and the handful of functions that the binding of isl 0.25 leaves out.
#pragma once
#include <isl/aff.h>
#include <isl/ast_build.h>
#include <isl/cpp.h>
#include <isl/ctx.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/options.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace nw {

// The isl context of one compilation; frees itself after everything made in it.
class IslContext {
public:
  IslContext();
  ~IslContext();
  IslContext(const IslContext &) = delete;
  isl::ctx get() const { return isl::ctx(raw); }

private:
  isl_ctx *raw;
};

// The context of a value type, its first member, shared with copies. Assignment replaces one member
// after the other, so that those that follow are still of the old context: it stays until the next
// assignment.
class SharedContext {
public:
  SharedContext() = default;
  SharedContext(std::shared_ptr<IslContext> context) : now(std::move(context)) {}
  SharedContext(const SharedContext &other) : now(other.now) {}
  SharedContext &operator=(const SharedContext &other) {
    before = now;
    now = other.now;
    return *this;
  }
  IslContext *operator->() const { return now.get(); }
  operator const std::shared_ptr<IslContext> &() const { return now; }

private:
  std::shared_ptr<IslContext> now, before;
};

// A member of a value type that may be left unset: isl's own classes cannot be copied while they
// are null.
template <class T> class Unset : public T {
public:
  Unset() = default;
  Unset(const T &value) : T(value) {}
  Unset(const Unset &other) : T() {
    if (!other.is_null())
      T::operator=(other);
  }
  Unset &operator=(const Unset &other) {
    T::operator=(other.is_null() ? T() : T(other));
    return *this;
  }
};

isl::val intVal(isl::ctx ctx, const std::string &decimal);
isl::val intVal(isl::ctx ctx, long value);

// The value as a machine's number, where it is an integer that fits.
std::optional<long> longOf(const isl::val &value);

// A set space without tuple name, with `dims` dimensions and no parameters.
isl::space anonymousSpace(isl::ctx ctx, int dims);
isl::pw_aff constantOn(const isl::space &setSpace, const isl::val &value);
isl::pw_aff dimensionOn(const isl::space &setSpace, int position);
isl::pw_aff parameterOn(const isl::space &setSpace, const std::string &name);

int dimsOf(const isl::set &s);
int paramsOf(const isl::set &s);
isl::set addDims(isl::set s, int count);
isl::pw_aff addInputDims(isl::pw_aff a, int count);
isl::set projectOut(isl::set s, int first, int count);
isl::map projectOutInputs(isl::map m, int first, int count);
isl::set named(isl::set s, const std::string &tuple);
isl::set unnamed(isl::set s);
isl::map namedInput(isl::map m, const std::string &tuple);
isl::map namedOutput(isl::map m, const std::string &tuple);
isl::set onlyParams(const isl::set &s);
std::string tupleOf(const isl::set &s);
std::string inputTupleOf(const isl::map &m);
std::string outputTupleOf(const isl::map &m);

std::vector<isl::set> setsOf(const isl::union_set &u);
std::vector<isl::map> mapsOf(const isl::union_map &u);
std::vector<isl::basic_set> piecesOf(const isl::set &s);

// The same with the parameters of both, in one order. isl 0.25 mixes parameters up when it builds
// code for a set with divisions whose parameters stand in another order than those of the context.
template <class T> T alignedWith(const T &object, const isl::set &context);
template <> isl::set alignedWith(const isl::set &object, const isl::set &context);
template <> isl::union_map alignedWith(const isl::union_map &object, const isl::set &context);
template <> isl::pw_aff alignedWith(const isl::pw_aff &object, const isl::set &context);

// What is in both. isl's own intersection looks for an integer point in each piece of the result
// and for redundant constraints before, which takes most of its time: here that is left to whoever
// asks whether the result is empty.
isl::set meet(const isl::set &a, const isl::set &b);
isl::map meet(const isl::map &a, const isl::map &b);

// { [o, a] -> [o, b] : a < b } on `dims` dimensions, or a > b.
isl::map laterInLast(isl::ctx ctx, int dims, bool ascending);

isl::map identityOn(const isl::set &s);
// Whether each value of a dimension goes with each of the others, for parameters of the context.
bool isBoxIn(const isl::set &points, const isl::set &context);

// Fixes dimension `position` of the set to the parameter `name`.
isl::set equateToParam(isl::set s, int position, const std::string &name);
bool isBoundedDim(const isl::set &s, int position, bool above);
std::vector<std::string> paramNames(const isl::space &space);

} // namespace nw
