// The search for an integer point, by which isl sees whether a set is empty: its own changes
// coordinates and reduces bases before it looks. Mostly, the first corner that a linear program
// comes to is such a point, or there is none even for fractions. The linker puts this function in
// place of isl's, for isl's own calls too (--wrap); what neither settles is left to isl.
#include <isl/aff.h>
#include <isl/local_space.h>
#include <isl/lp.h>
#include <isl/set.h>
#include <isl/val.h>
#include <isl/vec.h>

extern "C" {
// Of isl's own.
struct isl_tab *isl_tab_from_basic_set(isl_basic_set *set, int track);
isl_vec *isl_tab_get_sample_value(struct isl_tab *tab);
void isl_tab_free(struct isl_tab *tab);
isl_bool isl_basic_set_contains(isl_basic_set *set, isl_vec *point);
isl_vec *__real_isl_basic_set_sample_vec(isl_basic_set *set);
}

namespace {

// The corner, if it is an integer point of the set; a null pointer if not.
isl_vec *cornerOf(isl_basic_set *set) {
  struct isl_tab *tab = isl_tab_from_basic_set(set, 0);
  isl_vec *corner = tab ? isl_tab_get_sample_value(tab) : nullptr;
  isl_tab_free(tab);
  if (!corner)
    return nullptr;
  isl_val *denominator = isl_vec_get_element_val(corner, 0);
  bool isPoint = isl_val_is_one(denominator) == isl_bool_true &&
                 isl_basic_set_contains(set, corner) == isl_bool_true;
  isl_val_free(denominator);
  if (!isPoint)
    corner = isl_vec_free(corner);
  return corner;
}

bool isEmptyForFractions(isl_basic_set *set) {
  isl_aff *zero = isl_aff_zero_on_domain(isl_local_space_from_space(isl_basic_set_get_space(set)));
  isl_val *most = isl_basic_set_max_lp_val(set, zero);
  bool isEmpty = isl_val_is_nan(most) == isl_bool_true;
  isl_val_free(most);
  isl_aff_free(zero);
  return isEmpty;
}

} // namespace

extern "C" {
// Some integer point of the set, which has neither parameters nor divisions; a vector without
// elements where there is none.
isl_vec *__wrap_isl_basic_set_sample_vec(isl_basic_set *set) {
  if (!set || isl_basic_set_dim(set, isl_dim_set) < 2)
    return __real_isl_basic_set_sample_vec(set);
  isl_vec *point = cornerOf(set);
  if (!point && isEmptyForFractions(set))
    point = isl_vec_alloc(isl_basic_set_get_ctx(set), 0);
  if (!point)
    return __real_isl_basic_set_sample_vec(set);
  isl_basic_set_free(set);
  return point;
}
}
