// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The trace of one side of a case: the time of each completion, and all events of the QP, the CQs,
 * the SRQ, the device and the connection. The trace goes into the result, and no verdict depends on
 * it.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>

#include "side.h"

/**
 * conform_trace_exists() - check whether the trace of a side may have records
 * @side: the side, or NULL
 *
 * Return: true if the side has a QP, whose completions and events the trace records.
 */
bool conform_trace_exists(const struct conform_side *side)
{
	return side && side->qp;
}

/**
 * conform_trace_since() - let the times of later completions and events count from now
 * @side: the side
 *
 * The client calls the function before it posts a chain of a case, and the server before each step
 * other than KRPING_CONFORM_RECORD and KRPING_CONFORM_TRACE.
 */
void conform_trace_since(struct conform_side *side)
{
	unsigned long flags;

	spin_lock_irqsave(&side->lock, flags);
	side->since = ktime_get_ns();
	spin_unlock_irqrestore(&side->lock, flags);
}

/* Return the time since conform_trace_since() in microseconds. */
static u32 conform_trace_usec(const struct conform_side *side)
{
	return min_t(u64, div_u64(ktime_get_ns() - side->since, NSEC_PER_USEC), U32_MAX);
}

/**
 * conform_trace_wc() - add the time of a completion
 * @side: the side
 * @nr: index of the completion in the record, below KRPING_CONFORM_WCS
 *
 * Context: any context. The caller holds @side->lock.
 */
void conform_trace_wc(struct conform_side *side, u32 nr)
{
	side->trace.wc_usec[nr] = conform_trace_usec(side);
}

/**
 * conform_trace_event() - add an event
 * @side: the side
 * @object: the object that the event belongs to
 * @event: &ib_event.event
 *
 * Context: any context. The caller holds @side->lock.
 */
void conform_trace_event(struct conform_side *side, enum krping_conform_object object, u32 event)
{
	struct krping_conform_trace *trace = &side->trace;

	if (trace->nr_events < KRPING_CONFORM_EVENTS) {
		struct krping_conform_event *out = &trace->event[trace->nr_events];

		out->object = object;
		out->event = event;
		out->usec = conform_trace_usec(side);
	}
	trace->nr_events++;
}

/**
 * conform_trace_note() - take @side->lock, and add an event
 * @side: the side
 * @object: the object that the event belongs to
 * @event: &ib_event.event
 *
 * Context: any context.
 */
void conform_trace_note(struct conform_side *side, enum krping_conform_object object, u32 event)
{
	unsigned long flags;

	spin_lock_irqsave(&side->lock, flags);
	conform_trace_event(side, object, event);
	spin_unlock_irqrestore(&side->lock, flags);
}

static void conform_device_event(struct ib_event_handler *handler, struct ib_event *event)
{
	conform_trace_note(container_of(handler, struct conform_side, device_handler),
			   KRPING_CONFORM_DEVICE, event->event);
}

/**
 * conform_trace_device() - begin to record the events of the device
 * @side: the side, whose lock is initialised
 *
 * Context: process context.
 */
void conform_trace_device(struct conform_side *side)
{
	INIT_IB_EVENT_HANDLER(&side->device_handler, side->device, conform_device_event);
	ib_register_event_handler(&side->device_handler);
}

/**
 * conform_trace_device_end() - end the recording of the device's events
 * @side: the side
 *
 * Context: process context. When the function has returned, no handler accesses @side.
 */
void conform_trace_device_end(struct conform_side *side)
{
	if (side->device_handler.device)
		ib_unregister_event_handler(&side->device_handler);
}
