// OpenACC's data directives as C text: calls of the runtime's present table (runtime/nestwarp_rt.h)
// around structured blocks and in place of directives that stand alone. Pure: what the directives
// say comes in as plain values.
#pragma once
#include "frontend/openacc/directives.h"
#include "support/text_brackets.h"

namespace nw {

// What the directives do. Where a compute construct has anything in it that is not one of the
// regions, it runs on the host with the device's values.
std::vector<TextBracket> dataBrackets(const std::vector<openacc::Directive> &directives,
                                      const std::vector<TextSpan> &regions,
                                      const std::string &source, const std::string &file);

// Whether the text between two positions is all in regions, but for braces, comments and
// directives.
bool isCovered(const std::string &source, unsigned begin, unsigned end,
               const std::vector<TextSpan> &regions);

// Whether a variable is said to be an address on the device (deviceptr) by a construct or data
// region around a piece of text.
bool isDevicePointer(const std::string &variable, unsigned begin, unsigned end,
                     const std::vector<openacc::Directive> &directives);

// Whether the compute construct around a piece of text says default(present).
bool isPresentByDefault(unsigned begin, unsigned end,
                        const std::vector<openacc::Directive> &directives);

// Declarations of what the brackets call, on one line.
std::string dataPrototypes(bool isCxx);

// if(…) and self(…) of a compute construct as one condition: it is 0 where the construct belongs to
// the host.
std::string conditionOf(const openacc::Directive &d);

} // namespace nw
