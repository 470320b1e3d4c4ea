// Owns the thread that answers the box's calls. The thread allocates no memory: the supervisor may
// fork at any moment.
#include "notify/notify.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"
#include "seccomp/asking.h"

enum { STACK = 256 << 10, ANSWERS_NICE = 5 };
enum { ANSWER_NANOSECONDS = 30000, SAVED_NANOSECONDS = 10000000, RESTS = 9 };

// A copy for the thread, which may outlive the run: a call may hang.
struct answering {
	struct run run;
	struct looker look;
};

// Keeps only CAP_SYS_PTRACE, which Yama may demand of root. The kernel then judges the thread's
// calls like the box's.
static bool drop_privileges(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[2] = { { 0 } };
	if (syscall(SYS_capget, &header, sets) < 0)
		return false;
	sets[0].permitted &= 1U << CAP_SYS_PTRACE;
	sets[0].effective = sets[0].permitted;
	sets[1] = (struct __user_cap_data_struct){ 0 };
	sets[0].inheritable = 0;
	return syscall(SYS_capset, &header, sets) == 0;
}

static int answer_to(const struct question *question)
{
	const char *call = asking_call(question->asked->data.nr);
	int result = sockets_answer(question, call);
	result = result > 0 ? metadata_answer(question, call) : result;
	return result > 0 ? -EPERM : result;
}

// No limit of the box counts this thread's work: after an expensive answer it sleeps nine times as
// long.
static void rest(int64_t *paid)
{
	int64_t used = thread_now();
	*paid += ANSWER_NANOSECONDS;
	if (*paid > used + SAVED_NANOSECONDS)
		*paid = used + SAVED_NANOSECONDS;
	if (used <= *paid)
		return;
	struct timespec pause = times_of(RESTS * (used - *paid));
	*paid = used;
	nanosleep(&pause, NULL);
}

static void *answer_all(void *argument)
{
	int64_t paid = 0;
	struct answering *answering = argument;
	struct looker *look = &answering->look;
	int listener = answering->run.listener;
	struct pollfd event = { .fd = listener, .events = POLLIN };
	bool bare = drop_privileges(), apart = unshare(CLONE_FS) == 0;
	if (!look->plan->looks)
		setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + ANSWERS_NICE);
	while (poll(&event, 1, -1) < 0 || (event.revents & POLLIN)) {
		struct seccomp_notif asked = { 0 };
		struct question question = { look->plan, &answering->run, &asked, apart };
		if (sys_ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0 ||
		    asker_session(&question))
			continue;
		if (!explain_answer(look, &question)) {
			struct seccomp_notif_resp response = { .id = asked.id,
							       .error = bare ? answer_to(&question)
									     : -EPERM };
			sys_ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
		}
		rest(&paid);
	}
	fd_close(&look->root);
	fd_close(&look->notes);
	return NULL;
}

static int begin(const struct plan *plan, struct run *run)
{
	int notes[2] = { -1, -1 };
	pthread_attr_t attributes;
	pthread_t thread;
	if (plan->looks && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, notes) < 0)
		return fail(errno, "pipe");
	struct answering *answering = calloc(1, sizeof(*answering));
	if (!answering)
		return fail(ENOMEM, "a thread for answers");
	run->explained = notes[0];
	run->looking = &answering->look.busy;
	answering->run = *run;
	answering->look.plan = plan;
	answering->look.run = &answering->run;
	answering->look.notes = notes[1];
	answering->look.root = -1;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK);
	int problem = pthread_create(&thread, &attributes, answer_all, answering);
	pthread_attr_destroy(&attributes);
	return problem ? fail(problem, "a thread for answers") : 0;
}

int notify_turn(const struct plan *plan, struct run *run, short events, struct denials *denials)
{
	if (!(events & POLLIN))
		fd_close(run->has_listener ? &run->explained : &run->listener);
	else if (run->has_listener)
		explain_take(plan, run, denials, 0);
	else
		return run->has_listener = true, begin(plan, run);
	return 0;
}
