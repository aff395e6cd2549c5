/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The server side of a test, and the admission of clients.
 */
#ifndef KRPING_SERVER_H
#define KRPING_SERVER_H

#include "clients.h"
#include "registry.h"

/* Count and limit the clients of a server, for the handler of connect requests in test.c. */
void krping_clients_init(struct krping_clients *c, u32 most, bool bounded);
u8 krping_clients_take(struct krping_clients *c, bool further, u32 session, u32 *nr,
		       struct krping_common *common);
void krping_clients_refuse(struct krping_clients *c, bool further);
void krping_clients_leave(struct krping_clients *c);

/* Run and end a server. The _child functions serve one connection in a test of its own. */
void krping_server_serve(struct krping_test *test);
void krping_server_close(struct krping_test *test);
void krping_server_drain(struct krping_test *test);
void krping_server_wait_closed(struct krping_test *test);
void krping_server_finish(struct krping_test *test);
void krping_server_child(struct krping_test *test);
void krping_server_child_ended(struct krping_test *test);

#endif /* KRPING_SERVER_H */
