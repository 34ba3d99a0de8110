// Variables of rows of threads.
#include "verify/readers/row_copies.h"

namespace nw {

namespace {

// The variable whose element it is that belongs to the thread's row; empty where it is another
// expression.
std::string ofOwnRow(const ExprP &e) {
  bool is = e->kind == ExprKind::Index && e->args[0]->kind == ExprKind::Var &&
            isBuiltin(withoutWideCasts(e->args[1]), "local.y");
  return is ? e->args[0]->name : "";
}

} // namespace

RowCopies withoutRowCopies(const StmtP &body, const std::array<int, 3> &block,
                           const std::set<std::string> &candidates) {
  RowCopies out{body, {}};
  if (block[1] < 2 || body->kind != StmtKind::Block)
    return out;
  std::map<std::string, int> uses, ofRows;
  walkExprs(body, [&](const ExprP &e) {
    if (e->kind == ExprKind::Var)
      uses[e->name]++;
    ofRows[ofOwnRow(e)]++;
    return true;
  });
  auto isOfRows = [&](const StmtP &s) {
    return s->kind == StmtKind::Shared && candidates.count(s->name) && !s->extents.empty() &&
           s->extents[0] == block[1] && uses[s->name] == ofRows[s->name];
  };
  std::vector<StmtP> code;
  for (const StmtP &s : body->body) {
    code.push_back(s);
    if (!isOfRows(s))
      continue;
    out.names.insert(s->name);
    auto ofOneRow = std::make_shared<Stmt>(*s);
    ofOneRow->extents.erase(ofOneRow->extents.begin());
    code.back() = ofOneRow;
  }
  if (!out.names.empty())
    out.body = rewriteExprs(nw::block(code), [&](const ExprP &e) {
      return out.names.count(ofOwnRow(e)) ? e->args[0] : e;
    });
  return out;
}

} // namespace nw
