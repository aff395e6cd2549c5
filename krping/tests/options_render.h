/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Print the values of a parsed command, to compare them with &krping_good_case.means.
 */
#ifndef KRPING_OPTIONS_RENDER_H
#define KRPING_OPTIONS_RENDER_H

#include <linux/kernel.h>

/* Print an address as name=4:HEX or name=6:HEX, with %INTERFACE if the address has a scope. */
static inline size_t krping_addr_render(char *buf, size_t size, const char *name,
					const struct krping_addr *addr)
{
	int bytes = addr->family == AF_INET ? 4 : 16;
	size_t len;
	int i;

	if (addr->family == AF_UNSPEC)
		return 0;
	len = scnprintf(buf, size, " %s=%c:", name, bytes == 4 ? '4' : '6');
	for (i = 0; i < bytes; i++)
		len += scnprintf(buf + len, size - len, "%02x", addr->ip[i]);
	if (addr->scope[0])
		len += scnprintf(buf + len, size - len, "%%%s", addr->scope);
	return len;
}

static inline size_t krping_allow_render(char *buf, size_t size,
					 const struct krping_options *o)
{
	size_t len = 0;
	u32 i;

	for (i = 0; i < o->nr_allow; i++) {
		len += krping_addr_render(buf + len, size - len, "allow", &o->allow[i].addr);
		len += scnprintf(buf + len, size - len, "/%u", o->allow[i].bits);
	}
	return len;
}

static inline size_t krping_cpus_render(char *buf, size_t size,
					const struct krping_options *o)
{
	size_t len = 0;
	u32 i;

	for (i = 0; i < o->nr_cpus; i++)
		len += scnprintf(buf + len, size - len, "%s%d", i ? ":" : " cpu=",
				 krping_options_cpu(o, i));
	return len;
}

/* Print every value that is not the default, see struct krping_good_case. */
static inline void krping_options_render(const struct krping_options *o,
					 char *buf, size_t size)
{
	size_t len = 0;

#define SHOW(cond, fmt, ...)						\
	do {								\
		if (cond)						\
			len += scnprintf(buf + len, size - len, fmt,	\
					 ##__VA_ARGS__);		\
	} while (0)

	SHOW(true, "%s", krping_role_name(o->role));
	SHOW(o->test_given, " %s", krping_test_name(o->test));
	len += krping_addr_render(buf + len, size - len, "addr", &o->addr);
	len += krping_addr_render(buf + len, size - len, "source", &o->source);
	SHOW(o->port != 9999, " port=%u", o->port);
	SHOW(o->device[0], " device=%s", o->device);
	SHOW(o->count_given, " count=%llu", (unsigned long long)o->count);
	SHOW(o->warmup, " warmup=%llu", (unsigned long long)o->warmup);
	SHOW(o->duration, " duration=%u", o->duration);
	SHOW(o->interval, " interval=%u", o->interval);
	SHOW(o->size_given, " size=%llu", (unsigned long long)o->size);
	SHOW(!o->size_given && o->size != (o->atomic ? 8 : 64), " bad default size");
	SHOW(o->mem_mode_given || o->mem_mode != KRPING_MEM_DMA, " mem_mode=%s%s",
	     krping_mem_mode_name(o->mem_mode), o->mem_mode_given ? "(given)" : "");
	SHOW(o->stride, " stride=%u", o->stride);
	SHOW(o->validate, " validate");
	SHOW(o->verbose, " verbose");
	SHOW(o->server_inv, " server_inv");
	SHOW(o->read_inv, " read_inv");
	SHOW(o->local_dma_lkey, " local_dma_lkey");
	SHOW(o->tos != -1, " tos=%d", o->tos);
	SHOW(o->timeout != 5000, " timeout=%u", o->timeout);
	SHOW(o->wait, " wait=%u", o->wait);
	SHOW(o->ack_timeout != -1, " ack_timeout=%d", o->ack_timeout);
	SHOW(o->min_rnr_timer != -1, " min_rnr_timer=%d", o->min_rnr_timer);
	SHOW(o->vector != -1, " vector=%d", o->vector);
	SHOW(o->retry != 7, " retry=%u", o->retry);
	SHOW(o->rnr_retry != 7, " rnr_retry=%u", o->rnr_retry);
	SHOW(o->txdepth != 64, " txdepth=%u", o->txdepth);
	SHOW(o->cqmod, " cqmod=%u", o->cqmod);
	SHOW(o->batch, " batch=%u", o->batch);
	SHOW(o->inline_data, " inline");
	SHOW(o->sge != 1, " sge=%u", o->sge);
	SHOW(o->imm, " imm");
	SHOW(o->atomic == KRPING_ATOMIC_CAS, " atomic=cas");
	SHOW(o->atomic == KRPING_ATOMIC_FAA, " atomic=faa");
	SHOW(o->srq, " srq");
	SHOW(o->qps != 1, " qps=%u", o->qps);
	SHOW(o->threads != 1, " threads=%u", o->threads);
	SHOW(o->share, " share");
	SHOW(o->rate, " rate=%u", o->rate);
	SHOW(o->poll, " poll");
	SHOW(o->duplex, " duplex");
	SHOW(o->cq_ctx != KRPING_CQ_SOFTIRQ, " cq=workqueue");
	SHOW(o->histogram, " histogram");
	len += krping_cpus_render(buf + len, size - len, o);
	SHOW(o->clients != 1, " clients=%u", o->clients);
	SHOW(o->background, " background");
	SHOW(o->id, " id=%u", o->id);
	len += krping_allow_render(buf + len, size - len, o);
	SHOW(o->export_size, " export=%llu", (unsigned long long)o->export_size);
	SHOW(o->shared, " shared");
	SHOW(o->ro, " ro");
	SHOW(o->name[0], " name=%s", o->name);
	SHOW(o->reconnect, " reconnect=%u", o->reconnect);
	SHOW(o->force, " force");
	SHOW(o->memop, " op=%s", o->memop == KRPING_MEMOP_SESSION ? "session" :
				 o->memop == KRPING_MEMOP_DISK ? "disk" :
				 o->memop == KRPING_MEMOP_PUT ? "put" :
				 o->memop == KRPING_MEMOP_GET ? "get" :
				 o->memop == KRPING_MEMOP_OPEN ? "open" :
				 o->memop == KRPING_MEMOP_CLOSE ? "close" :
				 o->memop == KRPING_MEMOP_REGIONS ? "regions" : "send");
	SHOW(o->offset, " offset=%llu", (unsigned long long)o->offset);
	SHOW(o->len, " len=%u", o->len);
	SHOW(o->region, " region=%u", o->region);
	SHOW(o->rw, " rw");
	SHOW(o->unchecked, " unchecked");
	SHOW(o->cases[0], " case=%s", o->cases);
#undef SHOW
}

#endif /* KRPING_OPTIONS_RENDER_H */
