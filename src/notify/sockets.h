// Calls on sockets that the supervisor makes for the box: connect, listen, bind.
#pragma once

struct question;

// The call of this name: 0 or -errno. 1 when it is no such call.
int sockets_answer(const struct question *question, const char *call);
