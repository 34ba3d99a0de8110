// Memory for the integers of isl, which GMP keeps one by one.
#pragma once

namespace nw {

// From now on, GMP takes blocks of a limb or two from a list of free ones; it had spent a fifth of
// the time of a translation in malloc. To be called before the first of isl's integers is made.
void poolIntegers();

} // namespace nw
