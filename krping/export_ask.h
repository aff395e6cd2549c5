/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A server's answers to what a client asks about regions.
 */
#ifndef KRPING_EXPORT_ASK_H
#define KRPING_EXPORT_ASK_H

#include "export.h"

/* WRs that the thread tracks by itself: the last LOCAL_INV of a region. */
#define KRPING_EXPORT_OWN	1

void krping_export_ask(struct krping_export *e, const struct krping_wire_ask *ask);
void krping_export_sent(struct krping_queue *q, enum krping_op op);
bool krping_export_has_work(void *export);
int krping_export_work(struct krping_export *e);
void krping_export_hide(struct krping_export *e);
void krping_export_free_uses(struct krping_export *e);

#endif /* KRPING_EXPORT_ASK_H */
