/* The streams of a device: each region has one to itself while it is open. They are made when
 * needed and kept, so that there are as many as callers at a time; streams that callers bring along
 * are remembered with what belongs to them. */
#include <stdlib.h>

#include "internal.h"

static nw_rt_stream *streams;

nw_rt_stream *nw_rt_stream_take(nw_rt_device *device, const nw_on_device *on_device) {
  for (nw_rt_stream *s = streams; s; s = s->next)
    if (!s->in_use && s->device == device && s->is_callers == (on_device != NULL) &&
        (!on_device || s->callers == on_device->stream)) {
      s->in_use = 1;
      return s;
    }
  nw_rt_stream *stream = calloc(1, sizeof *stream);
  if (!stream) {
    nw_rt_fail(NW_RT_OUT_OF_MEMORY, "out of host memory");
    return NULL;
  }
  stream->device = device;
  stream->is_callers = on_device != NULL;
  stream->callers = on_device ? on_device->stream : NULL;
  if (!device->backend->open_stream(stream)) {
    free(stream);
    return NULL;
  }
  stream->in_use = 1;
  stream->next = streams;
  streams = stream;
  return stream;
}

void nw_rt_stream_return(nw_rt_stream *stream) { stream->in_use = 0; }
