/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The regions that a session accesses: the client's own region, and regions that other clients
 * have opened.
 */
#ifndef KRPING_SESSION_REGION_H
#define KRPING_SESSION_REGION_H

#include "session_op.h"

/* READ the list of a region's pieces. */
int krping_session_read_region(struct krping_client_session *s, struct krping_region *r,
			       const struct krping_advert *list);

/* Free the lists of pieces of all regions. */
void krping_session_free_regions(struct krping_client_session *s);

/* Store the answer to a request. */
void krping_session_answer(struct krping_client_session *s,
			   const struct krping_wire_answer *wire);

/* Find the region of an operation. */
int krping_session_find_region(struct krping_client_session *s, struct krping_memop *op,
			       const struct krping_region **r);

/* Carry out the command open, close or regions. */
int krping_session_manage(struct krping_client_session *s, struct krping_memop *op);

#endif /* KRPING_SESSION_REGION_H */
