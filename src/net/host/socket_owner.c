// Owns the search for the process that has a connection's socket, newest process first.
#include "net/host/destinations.h"

#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"

enum { TEXT = 4096, LOOPBACK_INDEX = 1 };

static bool is_over(const struct owner_search *who)
{
	return thread_now() >= who->end;
}

void owner_new(struct owner_search *who, int owners)
{
	who->record_most = OWNER_RECORD_MAX;
	who->run_most = OWNER_RUN_MAX;
	who->last = -1;
	who->owners = owners;
}

enum parse owner_parse_socket(const uint8_t *bytes, size_t length, uint32_t sequence,
			      unsigned long long *ret_inode)
{
	struct nlmsghdr header;
	struct inet_diag_msg found;
	if (length < sizeof(header))
		return PARSE_BAD;
	memcpy(&header, bytes, sizeof(header));
	if (header.nlmsg_seq != sequence)
		return PARSE_MORE;
	if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY || length < sizeof(header) + sizeof(found))
		return PARSE_BAD;
	memcpy(&found, bytes + sizeof(header), sizeof(found));
	*ret_inode = found.idiag_inode;
	return PARSE_DONE;
}

struct owner_question {
	struct nlmsghdr header;
	struct inet_diag_req_v2 asked;
};

static void fill(const struct address *address, bool v4, uint32_t words[4])
{
	size_t size = v4 ? 4 : 16;
	memcpy(words, address->bytes + sizeof(address->bytes) - size, size);
}

// Asks sock_diag(7) for one socket by both ends. /proc/net would list every socket.
static bool ask(struct owner_search *who, const struct ends *ends)
{
	bool v4 = address_is_v4(&ends->from) && address_is_v4(&ends->to);
	struct owner_question question = {
		.header = { .nlmsg_len = sizeof(question),
			    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			    .nlmsg_flags = NLM_F_REQUEST,
			    .nlmsg_seq = ++who->sequence },
		.asked = { .sdiag_family = v4 ? AF_INET : AF_INET6,
			   .sdiag_protocol = IPPROTO_TCP,
			   .idiag_states = ~0U,
			   .id = { .idiag_sport = htons(ends->from_port),
				   .idiag_dport = htons(ends->to_port),
				   .idiag_if = LOOPBACK_INDEX,
				   .idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } } },
	};
	uint8_t reply[4096];
	enum parse result = PARSE_MORE;
	who->inode = 0;
	fill(&ends->from, v4, question.asked.id.idiag_src);
	fill(&ends->to, v4, question.asked.id.idiag_dst);
	if (who->owners < 0 || send(who->owners, &question, sizeof(question), 0) < 0)
		return false;
	while (result == PARSE_MORE) { // the kernel answers before send() returns
		ssize_t got = recv(who->owners, reply, sizeof(reply), MSG_DONTWAIT);
		result = got < 0 ? PARSE_BAD
				 : owner_parse_socket(reply, (size_t)got, who->sequence,
						      &who->inode);
	}
	return who->inode != 0;
}

bool owner_listens(struct owner_search *who, uint16_t port)
{
	struct ends four = { .from = { { [10] = 0xff, 0xff, 127, [15] = 1 } },
			     .to = { { [10] = 0xff, 0xff } },
			     .from_port = port };
	struct ends six = { .from = { { [15] = 1 } }, .from_port = port };
	return ask(who, &four) || ask(who, &six);
}

static bool each_entry(struct owner_search *who, int directory,
		       bool (*look)(struct owner_search *who, int directory, const char *name))
{
	_Alignas(struct sys_entry) char entries[1024];
	long size;
	while (!is_over(who) && (size = sys_getdents(directory, entries, sizeof(entries))) > 0)
		for (long at = 0; at < size;) {
			const struct sys_entry *entry = (const void *)(entries + at);
			if (entry->name[0] != '.' && look(who, directory, entry->name))
				return true;
			at += entry->size;
		}
	return false;
}

// Reads proc(5) children. A number may be split between two reads.
static bool add_children(struct owner_search *who, int tasks, const char *thread)
{
	char path[64], text[TEXT];
	snprintf(path, sizeof(path), "%.20s/children", thread);
	autoclose int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	ssize_t got;
	pid_t child = 0;
	while (fd >= 0 && !is_over(who) && (got = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < got; i++) {
			bool digit = text[i] >= '0' && text[i] <= '9';
			if (!digit && child && who->pid_count < OWNER_PIDS_MAX)
				who->pids[who->pid_count++] = child;
			child = digit ? child * 10 + (text[i] - '0') : 0;
		}
	return false;
}

static bool is_socket(struct owner_search *who, int descriptors, const char *name)
{
	char link[64], wanted[64];
	ssize_t length = readlinkat(descriptors, name, link, sizeof(link) - 1);
	link[length > 0 ? length : 0] = '\0';
	snprintf(wanted, sizeof(wanted), "socket:[%llu]", who->inode);
	return str_equal(link, wanted);
}

static bool look(struct owner_search *who, int process, pid_t pid)
{
	autoclose int descriptors = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	who->looked += descriptors >= 0;
	if (descriptors < 0 || !each_entry(who, descriptors, is_socket))
		return false;
	file_kernel(process, "comm", who->program, sizeof(who->program));
	who->program[strcspn(who->program, "\n")] = '\0';
	// A program chooses its comm: replaces control characters.
	for (char *at = who->program; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	who->found = pid;
	return true;
}

static void search(struct owner_search *who, pid_t init)
{
	who->pids[0] = init;
	who->pid_count = 1;
	while (who->pid_count > 0 && !is_over(who)) {
		char path[32];
		pid_t pid = who->pids[--who->pid_count];
		snprintf(path, sizeof(path), "/proc/%d", (int)pid);
		autoclose int process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		autoclose int tasks = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (tasks >= 0)
			each_entry(who, tasks, add_children);
		if (tasks >= 0 && look(who, process, pid)) {
			fd_close(&who->last);
			who->last = take(&process);
			who->last_pid = pid;
			return;
		}
	}
}

void owner_find(struct owner_search *who, pid_t init, const struct ends *ends)
{
	int64_t begin = thread_now(), left = who->run_most - who->run_spent;
	who->end = begin + (left < who->record_most ? left : who->record_most);
	who->found = 0;
	memset(who->program, 0, sizeof(who->program));
	// Looks at the last owner first, which has most connections.
	if (!is_over(who) && ask(who, ends) &&
	    !(who->last >= 0 && look(who, who->last, who->last_pid)))
		search(who, init);
	if (!who->found && is_over(who))
		memcpy(who->program, "?", 2);
	who->run_spent += thread_now() - begin;
}
