/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The server side of a test, and the admission of clients.
 */
#ifndef KRPING_SERVER_H
#define KRPING_SERVER_H

#include "clients.h"
#include "registry.h"

/* Count and limit the clients of a server, for the handler of connect requests in test.c. */

/* Initialise a server's count of clients. */
void krping_clients_init(struct krping_clients *c, u32 most, bool bounded);

/* Admit a client, or return the reason to reject it. */
u8 krping_clients_take(struct krping_clients *c, bool further, u32 session, u32 *nr,
		       struct krping_common *common);

/* No longer count a client as admitted, because the server rejects the client after all. */
void krping_clients_refuse(struct krping_clients *c, bool further);

/* No longer count the test of a refused client as running, because the test could not start. */
void krping_clients_leave(struct krping_clients *c);

/* Run and end a server. */

/* With clients=1, serve the client; otherwise wait until all clients have been served. */
void krping_server_serve(struct krping_test *test);

/* Reject all clients from now on. */
void krping_server_close(struct krping_test *test);

/* Admit no new client, and end after the last client. */
void krping_server_drain(struct krping_test *test);

/* Wait until a server no longer listens. */
void krping_server_wait_closed(struct krping_test *test);

/* Wait for the tests of a server's clients. */
void krping_server_finish(struct krping_test *test);

/* Serve one connection of a client in a test of its own. */
void krping_server_child(struct krping_test *test);

/* Add the result of a client's test to its server. */
void krping_server_child_ended(struct krping_test *test);

#endif /* KRPING_SERVER_H */
