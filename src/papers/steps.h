// explain --policy=NAME: the steps of a paper's algorithms in a region, in the paper's words.
#pragma once
#include "estimate/alternatives.h"
#include "papers/paper_region.h"

namespace nw::papers {

// The papers by the names that --policy and the documents use.
struct Paper {
  std::string name, title; // title: as docs/papers.md has it, in short
};
const std::vector<Paper> &allPapers();
const Paper *paperOf(const std::string &name);

// What steps are told from.
struct Question {
  PaperRegion region;
  const EstimatedRegion &estimated;
  const Kernels &kernels;
  const std::vector<Alternative> &alternatives;
};

Lines stepsBy(const Paper &paper, const Question &question);

} // namespace nw::papers
