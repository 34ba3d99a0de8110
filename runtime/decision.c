/* The decision whether a region runs on the device: a simple model of what the region costs there
 * and on the host.
 *
 *   host    = operations / host rate
 *   device  = operations / (compute units * rate of a unit)
 *             + bytes moved / bandwidth + copies * latency + launches * launch overhead
 *   build   = compiling the module's kernels, or loading them from the cache, if that has not
 * happened yet,
 *             + opening the device, if that has not happened yet
 *
 * Arrays that OpenACC data directives have put on the device are not asked about: a region that
 * uses any goes there.
 *
 * The region is offloaded when device < host and the kernels are built. Building is an investment:
 * each time a region stays on the host only for that, host - device is added to the module's missed
 * seconds; once those and the present gain together exceed `build`, the kernels are built. */
#include "internal.h"

/* Simple scalar code on one core, in operations per second. */
#define HOST_RATE 1e9

typedef struct cost {
  double bandwidth; /* bytes per second, between host and device */
  double latency;   /* seconds per copy */
  double launch;    /* seconds per kernel launch */
  double open;      /* seconds to open the device */
  double compile;   /* seconds to compile a module */
  double load;      /* seconds to load a module from the cache */
  double unit_rate; /* operations per second of a compute unit */
} cost;

static const cost costs[NW_RT_KINDS] = {
    [NW_RT_CUDA] = {8e9, 15e-6, 5e-6, 0.3, 0.5, 0.01, 10e9},
    [NW_RT_OPENCL_GPU] = {6e9, 30e-6, 15e-6, 0.2, 0.7, 0.03, 5e9},
    [NW_RT_OPENCL_CPU] = {4e9, 50e-6, 50e-6, 0.02, 0.8, 0.15, HOST_RATE * 0.7},
};

/* The seconds until the module's kernels can be launched. */
static double build_seconds(nw_module *module, nw_rt_device *device, const cost *model) {
  nw_rt_module *state = module->state;
  double seconds = device->opened ? 0 : model->open;
  if (state->status == NW_RT_NOT_BUILT)
    seconds += nw_rt_module_is_cached(module, device) ? model->load : model->compile;
  return seconds;
}

int nw_rt_is_worth_it(nw_module *module, nw_rt_device *device, const nw_work *work,
                      const nw_rt_traffic *traffic) {
  const cost *model = &costs[device->kind];
  nw_rt_module *state = module->state;
  double on_host = work->operations / HOST_RATE;
  double on_device = work->operations / (device->compute_units * model->unit_rate) +
                     traffic->bytes / model->bandwidth + traffic->transfers * model->latency +
                     (double)work->launches * model->launch;
  double gain = on_host - on_device;
  if (!(gain > 0))
    return 0;
  if (state->missed + gain > build_seconds(module, device, model))
    return 1;
  state->missed += gain;
  return 0;
}
