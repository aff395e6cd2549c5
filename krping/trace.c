// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Define the tracepoints of trace.h.
 */
#define CREATE_TRACE_POINTS
#include "trace.h"
