// Owns the search for the program behind a connection, in steps: the box's tree of processes from
// the newest on, and each table of descriptors once.
#include "net/host/socket_owner.h"

#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/file.h"
#include "base/str.h"
#include "base/sys.h"

static const char *const tables[] = { "tcp", "tcp6" };

//   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001  0 12345 1 ...
unsigned long long owner_find_inode(const char *text, size_t length, uint16_t port)
{
	enum { WORD_LOCAL = 1, WORD_INODE = 9 };
	const char *end = text + length;
	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *stop = newline ? newline : end;
		bool ours = false;
		int word = 0;
		for (const char *at = line; at < stop; word++) {
			while (at < stop && *at == ' ')
				at++;
			const char *begin = at;
			while (at < stop && *at != ' ')
				at++;
			size_t size = (size_t)(at - begin);
			if (word == WORD_LOCAL && size > 5 && begin[size - 5] == ':') {
				char digits[5] = "";
				memcpy(digits, begin + size - 4, 4);
				ours = strtoul(digits, NULL, 16) == port;
			}
			unsigned long long inode;
			if (ours && word == WORD_INODE &&
			    str_number(begin, size, 1, 1ULL << 62, &inode))
				return inode;
		}
		line = stop + 1;
	}
	return 0;
}

// Of this thread: what others make of the processor does not count.
static int64_t cpu_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void owner_new(struct owner_search *who, int owners)
{
	who->record_most = OWNER_RECORD_MAX;
	who->run_most = OWNER_RUN_MAX;
	who->doing = OWNER_IDLE;
	who->file = who->process = who->entries = who->last = -1;
	who->owners = owners;
}

static void stop(struct owner_search *who, pid_t found, const char *program)
{
	who->found = found;
	snprintf(who->program, sizeof(who->program), "%s", program);
	owner_end(who);
}

void owner_end(struct owner_search *who)
{
	fd_close(&who->file);
	fd_close(&who->process);
	fd_close(&who->entries);
	who->doing = OWNER_IDLE;
}

static void push(struct owner_search *who, pid_t pid)
{
	if (who->pid_count < OWNER_PIDS_MAX)
		who->pids[who->pid_count++] = pid;
}

void owner_begin(struct owner_search *who, pid_t init, const struct ends *ends)
{
	who->init = init;
	who->ends = *ends;
	who->inode = 0;
	who->table = who->pid_count = who->table_count = 0;
	who->record_spent = 0;
	who->doing = OWNER_ASK;
	push(who, init);
}

static void begin_descriptors(struct owner_search *who)
{
	who->entries = openat(who->process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	who->looked += who->entries >= 0;
	who->doing = who->entries >= 0 ? OWNER_DESCRIPTORS : OWNER_TREE;
	if (who->entries < 0)
		fd_close(&who->process);
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

// The kernel looks one socket up by both its ends; the tables of /proc list every one of the
// machine to find it.
static bool ask(struct owner_search *who)
{
	bool v4 = address_is_v4(&who->ends.from) && address_is_v4(&who->ends.to);
	struct owner_question question = {
		.header = { .nlmsg_len = sizeof(question),
			    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			    .nlmsg_flags = NLM_F_REQUEST,
			    .nlmsg_seq = ++who->sequence },
		.asked = { .sdiag_family = v4 ? AF_INET : AF_INET6,
			   .sdiag_protocol = IPPROTO_TCP,
			   .idiag_states = ~0U,
			   .id = { .idiag_sport = htons(who->ends.from_port),
				   .idiag_dport = htons(who->ends.to_port),
				   .idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE } } },
	};
	uint8_t reply[4096];
	enum parse result = PARSE_MORE;
	fill(&who->ends.from, v4, question.asked.id.idiag_src);
	fill(&who->ends.to, v4, question.asked.id.idiag_dst);
	if (who->owners < 0 || send(who->owners, &question, sizeof(question), 0) < 0)
		return false;
	while (result == PARSE_MORE) { // answered before send returns
		ssize_t got = recv(who->owners, reply, sizeof(reply), MSG_DONTWAIT);
		result = got < 0 ? PARSE_BAD
				 : owner_parse_socket(reply, (size_t)got, who->sequence,
						      &who->inode);
	}
	return who->inode != 0;
}

// One program makes most of a run's connections: it is looked at first.
static void begin_processes(struct owner_search *who)
{
	who->pid = who->last_pid;
	who->process = who->last < 0 ? -1 : fcntl(who->last, F_DUPFD_CLOEXEC, 3);
	begin_descriptors(who);
}

static void step_ask(struct owner_search *who)
{
	if (ask(who))
		begin_processes(who);
	else
		who->doing = OWNER_TABLE;
}

static void step_table(struct owner_search *who)
{
	char path[64], text[OWNER_TEXT];
	str_put(path, sizeof(path), "/proc/%d/net/%s", (int)who->init, tables[who->table]);
	if (who->file < 0)
		who->file = open(path, O_RDONLY | O_CLOEXEC);
	// The kernel writes whole lines.
	ssize_t got = who->file < 0 ? 0 : read(who->file, text, sizeof(text));
	if (got > 0)
		who->inode = owner_find_inode(text, (size_t)got, who->ends.from_port);
	if (got > 0 && !who->inode)
		return;
	fd_close(&who->file);
	if (who->inode)
		begin_processes(who);
	else if (++who->table == sizeof(tables) / sizeof(*tables))
		stop(who, 0, "");
}

// Whether the table of descriptors was looked through by another name: clone(2) with CLONE_FILES
// makes a thousand names of one, for nothing. kcmp(2) puts them into an order.
static bool is_known_table(struct owner_search *who, pid_t pid)
{
	enum { KCMP_FILES = 2, LESS = 1, GREATER = 2 };
	unsigned low = 0, high = who->table_count;
	while (low < high) {
		unsigned middle = (low + high) / 2;
		long order = syscall(SYS_kcmp, pid, who->tables[middle], KCMP_FILES, 0, 0);
		if (order == 0)
			return true;
		if (order != LESS && order != GREATER)
			return false; // one of them is gone, or the kernel does not tell
		if (order == LESS)
			high = middle;
		else
			low = middle + 1;
	}
	if (who->table_count == OWNER_TABLES_MAX)
		return false;
	memmove(who->tables + low + 1, who->tables + low,
		(who->table_count - low) * sizeof(*who->tables));
	who->tables[low] = pid;
	who->table_count++;
	return false;
}

static void step_tree(struct owner_search *who)
{
	char path[32];
	if (who->pid_count == 0) {
		stop(who, 0, "");
		return;
	}
	who->pid = who->pids[--who->pid_count];
	snprintf(path, sizeof(path), "/proc/%d", (int)who->pid);
	who->process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	who->entries = who->process < 0
			       ? -1
			       : openat(who->process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (who->entries >= 0)
		who->doing = OWNER_TASKS;
	else
		fd_close(&who->process);
}

// "12 13 ": the last number may go on in the next piece.
static void add_children(struct owner_search *who, const char *thread)
{
	char path[64], text[OWNER_TEXT];
	snprintf(path, sizeof(path), "%.20s/children", thread);
	autoclose int fd = openat(who->entries, path, O_RDONLY | O_CLOEXEC);
	ssize_t got;
	pid_t child = 0;
	while (fd >= 0 && who->pid_count < OWNER_PIDS_MAX &&
	       (got = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < got; i++) {
			bool digit = text[i] >= '0' && text[i] <= '9';
			if (!digit && child)
				push(who, child);
			child = digit ? child * 10 + (text[i] - '0') : 0;
		}
}

// Some entries of the directory that is being read: each is handed to `look` until that is true.
// Returns 0 at the end of it.
static long each_entry(struct owner_search *who,
		       bool (*look)(struct owner_search *who, const char *name))
{
	_Alignas(struct sys_entry) char entries[OWNER_ENTRIES];
	long size = sys_getdents(who->entries, entries, sizeof(entries));
	for (long at = 0; at < size;) {
		const struct sys_entry *entry = (const void *)(entries + at);
		if (entry->name[0] != '.' && look(who, entry->name))
			return 1;
		at += entry->size;
	}
	return size;
}

static bool take_task(struct owner_search *who, const char *name)
{
	add_children(who, name);
	return false;
}

static void step_tasks(struct owner_search *who)
{
	if (each_entry(who, take_task) > 0)
		return;
	fd_close(&who->entries);
	if (is_known_table(who, who->pid)) {
		fd_close(&who->process);
		who->doing = OWNER_TREE;
		return;
	}
	begin_descriptors(who);
}

static bool take_descriptor(struct owner_search *who, const char *name)
{
	char link[64], wanted[64], program[OWNER_NAME];
	ssize_t length = readlinkat(who->entries, name, link, sizeof(link) - 1);
	link[length > 0 ? length : 0] = '\0';
	snprintf(wanted, sizeof(wanted), "socket:[%llu]", who->inode);
	if (!str_equal(link, wanted))
		return false;
	file_kernel(who->process, "comm", program, sizeof(program));
	program[strcspn(program, "\n")] = '\0';
	// A program names itself: what would move a terminal's cursor is not shown.
	for (char *at = program; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	fd_close(&who->last);
	who->last = take(&who->process);
	who->last_pid = who->pid;
	stop(who, who->pid, program);
	return true;
}

static void step_descriptors(struct owner_search *who)
{
	if (each_entry(who, take_descriptor) > 0)
		return;
	fd_close(&who->entries);
	fd_close(&who->process);
	who->doing = OWNER_TREE;
}

static void (*const steps[])(struct owner_search *who) = {
	[OWNER_ASK] = step_ask,
	[OWNER_TABLE] = step_table,
	[OWNER_TREE] = step_tree,
	[OWNER_TASKS] = step_tasks,
	[OWNER_DESCRIPTORS] = step_descriptors,
};

bool owner_step(struct owner_search *who)
{
	int64_t begin = cpu_now(), spent = 0;
	while (who->doing != OWNER_IDLE && spent < OWNER_SLICE_MAX) {
		if (who->record_spent + spent >= who->record_most ||
		    who->run_spent + spent >= who->run_most) {
			stop(who, 0, "?");
			break;
		}
		steps[who->doing](who);
		spent = cpu_now() - begin;
	}
	who->record_spent += spent;
	who->run_spent += spent;
	return who->doing == OWNER_IDLE;
}
