// Ways to change a file by its name or by a descriptor that only reads, to reach unix sockets of
// the host, and to take names of its abstract space; and a racer that exchanges what they name.
//   outside ways FILE      prints the ways by which FILE was changed
//   outside send SOCKET    prints the ways by which a datagram was sent to it
//   outside take NAME      prints the ways by which the abstract name was taken
//   outside race FILE OWN NAME SECONDS    exchanges FILE and the box's own; prints HIT for each hit
// Outside of a box all ways print their names: that is the test of these tests.
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

enum {
	CALL_FCHMODAT2 = 452,
	CALL_SETXATTRAT = 463,
	CALL_REMOVEXATTRAT = 466,
	CALL_FILE_SETATTR = 469,
	EMPTY = AT_EMPTY_PATH,
	TURNS_LEAST = 50
};
#define HIGH (1ULL << 32)
// Calls that only x86-64 has.
#ifndef SYS_chmod
#define SYS_chmod     (-1)
#define SYS_chown     (-1)
#define SYS_lchown    (-1)
#define SYS_utime     (-1)
#define SYS_utimes    (-1)
#define SYS_futimesat (-1)
#endif

// The file, three times.
static struct {
	const char *path;
	int read, name; // open for reading; O_PATH
	char by_self[64], by_number[64], by_dev[64], by_name[64], by_root[512];
} file;

static const struct timespec then[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
static const struct timeval then_of_day[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
static const struct utimbuf then_in_seconds = { 1, 1 };
static const struct {
	uint64_t value;
	uint32_t size, flags;
} attribute = { (uint64_t)(uintptr_t)"x", 1, 0 };

static long set_flags(unsigned long request)
{
	int flags = 0;
	if (ioctl(file.read, FS_IOC_GETFLAGS, &flags) < 0)
		return -1;
	flags ^= FS_NODUMP_FL;
	return syscall(SYS_ioctl, file.read, request, &flags);
}

static long set_extended(void)
{
	struct fsxattr given;
	if (ioctl(file.read, FS_IOC_FSGETXATTR, &given) < 0)
		return -1;
	given.fsx_xflags ^= FS_XFLAG_NODUMP;
	return ioctl(file.read, FS_IOC_FSSETXATTR, &given);
}

static long set_version(void)
{
	int version = 7;
	return ioctl(file.read, FS_IOC_SETVERSION, &version);
}

static long enable_verity(void)
{
	struct fsverity_enable_arg given = { .version = 1,
					     .hash_algorithm = FS_VERITY_HASH_ALG_SHA256,
					     .block_size = 4096 };
	return ioctl(file.read, FS_IOC_ENABLE_VERITY, &given);
}

static long encrypt(void)
{
	struct fscrypt_policy_v2 policy = { .version = 2 };
	return ioctl(file.read, FS_IOC_SET_ENCRYPTION_POLICY, &policy);
}

static long set_fat(void)
{
	uint32_t attributes = 1;
	return ioctl(file.read, 0x40047211UL, &attributes);
}

static long make_subvolume(void)
{
	char given[4096] = { 0 };
	strcpy(given + 8, "volume");
	return ioctl(file.read, 0x5000940eUL, given);
}

static long set_by_call(void)
{
	uint64_t given[4] = { FS_XFLAG_NODUMP };
	return syscall(CALL_FILE_SETATTR, file.read, "", given, sizeof(given), EMPTY);
}

static long link_and_change(int from, const char *name, int flags)
{
	unlink("linked");
	if (linkat(from, name, AT_FDCWD, "linked", flags) < 0)
		return -1;
	long result = chmod("linked", 0777);
	unlink("linked");
	return result;
}

static long move(void)
{
	if (rename(file.path, "moved") < 0)
		return -1;
	return rename("moved", file.path);
}

// A child with descriptors of its own asks.
static long change_from_child(void)
{
	pid_t child = fork();
	int status;
	if (child == 0) {
		int fd = dup(file.read);
		_exit(fchmod(fd, 0771) < 0);
	}
	return waitpid(child, &status, 0) == child && status == 0 ? 0 : -1;
}

// A descriptor that went through a socket.
static long change_passed(void)
{
	char byte = 0, control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec data = { &byte, 1 };
	struct msghdr message = { .msg_iov = &data,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	int ends[2], fd;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		return -1;
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &file.read, sizeof(int));
	if (sendmsg(ends[0], &message, 0) < 0 || recvmsg(ends[1], &message, 0) < 0)
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(int));
	return fchmod(fd, 0772);
}

#define CALL(...) syscall(__VA_ARGS__)
#define WAYS                                                                                       \
	WAY(chmod, CALL(SYS_chmod, file.path, 0701))                                               \
	WAY(fchmod, CALL(SYS_fchmod, file.read, 0702))                                             \
	WAY(fchmod_high, CALL(SYS_fchmod, HIGH | (unsigned)file.read, 0702))                       \
	WAY(fchmodat, CALL(SYS_fchmodat, AT_FDCWD, file.path, 0703))                               \
	WAY(fchmodat2, CALL(CALL_FCHMODAT2, AT_FDCWD, file.path, 0704, 0))                         \
	WAY(fchmodat2_empty, CALL(CALL_FCHMODAT2, file.read, "", 0705, EMPTY))                     \
	WAY(fchmodat2_name, CALL(CALL_FCHMODAT2, file.name, "", 0706, EMPTY))                      \
	WAY(chmod_self, chmod(file.by_self, 0707))                                                 \
	WAY(chmod_number, chmod(file.by_number, 0710))                                             \
	WAY(chmod_dev, chmod(file.by_dev, 0711))                                                   \
	WAY(chmod_name, chmod(file.by_name, 0712))                                                 \
	WAY(chmod_root, chmod(file.by_root, 0713))                                                 \
	WAY(chmod_passed, change_passed())                                                         \
	WAY(chmod_child, change_from_child())                                                      \
	WAY(chown, CALL(SYS_chown, file.path, getuid(), getgid()))                                 \
	WAY(lchown, CALL(SYS_lchown, file.path, getuid(), getgid()))                               \
	WAY(fchown, CALL(SYS_fchown, file.read, getuid(), getgid()))                               \
	WAY(fchownat, CALL(SYS_fchownat, AT_FDCWD, file.path, getuid(), getgid(), 0))              \
	WAY(fchownat_empty, CALL(SYS_fchownat, file.read, "", getuid(), getgid(), EMPTY))          \
	WAY(fchownat_name, CALL(SYS_fchownat, file.name, "", getuid(), getgid(), EMPTY))           \
	WAY(chown_self, chown(file.by_self, getuid(), getgid()))                                   \
	WAY(utime, CALL(SYS_utime, file.path, &then_in_seconds))                                   \
	WAY(utimes, CALL(SYS_utimes, file.path, then_of_day))                                      \
	WAY(futimesat, CALL(SYS_futimesat, AT_FDCWD, file.path, then_of_day))                      \
	WAY(futimesat_null, CALL(SYS_futimesat, file.read, NULL, then_of_day))                     \
	WAY(utimensat, CALL(SYS_utimensat, AT_FDCWD, file.path, then, 0))                          \
	WAY(utimensat_null, CALL(SYS_utimensat, file.read, NULL, then, 0))                         \
	WAY(utimensat_now, CALL(SYS_utimensat, file.read, NULL, NULL, 0))                          \
	WAY(utimensat_empty, CALL(SYS_utimensat, file.read, "", then, EMPTY))                      \
	WAY(utimensat_name, CALL(SYS_utimensat, file.name, "", then, EMPTY))                       \
	WAY(utimensat_link, CALL(SYS_utimensat, AT_FDCWD, file.path, then, AT_SYMLINK_NOFOLLOW))   \
	WAY(utimensat_self, utimensat(AT_FDCWD, file.by_self, then, 0))                            \
	WAY(setxattr, setxattr(file.path, "user.a", "x", 1, 0))                                    \
	WAY(lsetxattr, lsetxattr(file.path, "user.b", "x", 1, 0))                                  \
	WAY(fsetxattr, fsetxattr(file.read, "user.c", "x", 1, 0))                                  \
	WAY(setxattr_self, setxattr(file.by_self, "user.d", "x", 1, 0))                            \
	WAY(setxattr_name, setxattr(file.by_name, "user.e", "x", 1, 0))                            \
	WAY(setxattrat, CALL(CALL_SETXATTRAT, AT_FDCWD, file.path, 0, "user.f", &attribute, 16))   \
	WAY(setxattrat_empty,                                                                      \
	    CALL(CALL_SETXATTRAT, file.read, "", EMPTY, "user.g", &attribute, 16))                 \
	WAY(removexattr, removexattr(file.path, "user.r1"))                                        \
	WAY(lremovexattr, lremovexattr(file.path, "user.r2"))                                      \
	WAY(fremovexattr, fremovexattr(file.read, "user.r3"))                                      \
	WAY(removexattr_self, removexattr(file.by_self, "user.r4"))                                \
	WAY(removexattrat, CALL(CALL_REMOVEXATTRAT, AT_FDCWD, file.path, 0, "user.r5"))            \
	WAY(removexattrat_empty, CALL(CALL_REMOVEXATTRAT, file.read, "", EMPTY, "user.r6"))        \
	WAY(flags, set_flags(FS_IOC_SETFLAGS))                                                     \
	WAY(flags_high, set_flags(HIGH | FS_IOC_SETFLAGS))                                         \
	WAY(extended, set_extended())                                                              \
	WAY(version, set_version())                                                                \
	WAY(encryption, encrypt())                                                                 \
	WAY(fat, set_fat())                                                                        \
	WAY(subvolume, make_subvolume())                                                           \
	WAY(file_setattr, set_by_call())                                                           \
	WAY(link, link_and_change(AT_FDCWD, file.path, 0))                                         \
	WAY(link_empty, link_and_change(file.read, "", EMPTY))                                     \
	WAY(link_self, link_and_change(AT_FDCWD, file.by_self, AT_SYMLINK_FOLLOW))                 \
	WAY(move, move())                                                                          \
	WAY(write_self, open(file.by_self, O_WRONLY))                                              \
	WAY(write_name, open(file.by_name, O_WRONLY))                                              \
	WAY(map_shared,                                                                            \
	    mmap(NULL, 1, PROT_WRITE, MAP_SHARED, file.read, 0) == MAP_FAILED ? -1 : 0)            \
	WAY(fallocate, CALL(SYS_fallocate, file.read, 0, 0, 1))                                    \
	WAY(ftruncate, ftruncate(file.read, 0))                                                    \
	WAY(truncate, truncate(file.path, 0))                                                      \
	WAY(verity, enable_verity())

static int open_file(const char *path)
{
	file.path = path;
	file.read = open(path, O_RDONLY | O_CLOEXEC);
	file.name = open(path, O_PATH | O_CLOEXEC);
	snprintf(file.by_self, sizeof(file.by_self), "/proc/self/fd/%d", file.read);
	snprintf(file.by_number, sizeof(file.by_number), "/proc/%d/fd/%d", (int)getpid(),
		 file.read);
	snprintf(file.by_dev, sizeof(file.by_dev), "/dev/fd/%d", file.read);
	snprintf(file.by_name, sizeof(file.by_name), "/proc/thread-self/fd/%d", file.name);
	snprintf(file.by_root, sizeof(file.by_root), "/proc/self/root%s", path);
	return file.read < 0 || file.name < 0 ? -1 : 0;
}

static int try_ways(char **words)
{
	if (open_file(words[0]) < 0) {
		printf("unreadable\n");
		return 1;
	}
#define WAY(name, call)                                                                            \
	if ((call) >= 0)                                                                           \
		printf(#name "\n");
	WAYS
#undef WAY
		return 0;
}

static socklen_t fill(struct sockaddr_un *address, const char *path, size_t skip)
{
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	strncpy(address->sun_path + skip, path, sizeof(address->sun_path) - skip - 1);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + skip + strlen(path));
}

// One end of a pair, or a socket alone; -1 when the box has none.
static int make(uint64_t type, bool pair)
{
	int ends[2];
	if (!pair)
		return (int)syscall(SYS_socket, AF_UNIX, type, 0);
	return syscall(SYS_socketpair, AF_UNIX, type, 0, ends) < 0 ? -1 : ends[0];
}

static const struct {
	const char *name;
	uint64_t type;
} types[] = {
	{ "datagram", SOCK_DGRAM },
	{ "raw", SOCK_RAW },
	{ "datagram_flags", SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK },
	{ "raw_flags", SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK },
	{ "raw_high", HIGH | SOCK_RAW },
	{ "rdm", SOCK_RDM },
	{ "packet", 10 },
	{ "stream", SOCK_STREAM },
	{ "seqpacket", SOCK_SEQPACKET | SOCK_NONBLOCK },
};

static int send_all(char **words)
{
	struct sockaddr_un address;
	socklen_t size = fill(&address, words[0], 0);
	char word[] = "way";
	struct iovec data = { word, 3 };
	struct mmsghdr messages = { .msg_hdr = { .msg_name = &address,
						 .msg_namelen = size,
						 .msg_iov = &data,
						 .msg_iovlen = 1 } };
	const struct sockaddr *to = (const struct sockaddr *)&address;
	for (size_t i = 0; i < 2 * sizeof(types) / sizeof(*types); i++) {
		const char *name = types[i / 2].name, *kind = i % 2 ? "pair" : "socket";
		int fd = make(types[i / 2].type, i % 2);
		if (fd < 0 || strcmp(name, "stream") == 0 || strcmp(name, "seqpacket") == 0)
			continue;
		if (sendto(fd, "way", 3, MSG_NOSIGNAL, to, size) == 3)
			printf("%s_%s_sendto\n", name, kind);
		if (sendmsg(fd, &messages.msg_hdr, MSG_NOSIGNAL) == 3)
			printf("%s_%s_sendmsg\n", name, kind);
		if (sendmmsg(fd, &messages, 1, MSG_NOSIGNAL) == 1)
			printf("%s_%s_sendmmsg\n", name, kind);
		if (connect(fd, to, size) == 0 && send(fd, "way", 3, MSG_NOSIGNAL) == 3)
			printf("%s_%s_connect\n", name, kind);
		close(fd);
	}
	return 0;
}

static int take_all(char **words)
{
	struct sockaddr_un address;
	socklen_t size = fill(&address, words[0], 1);
	for (size_t i = 0; i < 2 * sizeof(types) / sizeof(*types); i++) {
		int fd = make(types[i / 2].type, i % 2);
		if (fd >= 0 && bind(fd, (const struct sockaddr *)&address, size) == 0)
			printf("%s_%s\n", types[i / 2].name, i % 2 ? "pair" : "socket");
		if (fd >= 0 && strcmp(words[1], "hold") != 0)
			close(fd);
	}
	if (strcmp(words[1], "hold") != 0)
		return 0;
	printf("end\n");
	fflush(stdout);
	sleep(300);
	return 0;
}

// The racer. What is exchanged: a number of descriptors, a directory and a link, an address.
static atomic_bool over;
static int own_read, shared_number;
static struct sockaddr_un exchanged;

static void *exchange_numbers(void *unused)
{
	while (!over) {
		dup2(own_read, shared_number);
		dup2(file.read, shared_number);
	}
	return unused;
}

static void *exchange_names(void *unused)
{
	while (!over)
		syscall(SYS_renameat2, AT_FDCWD, "race/place", AT_FDCWD, "race/trap", 2);
	return unused;
}

static void *exchange_address(void *unused)
{
	while (!over) {
		exchanged.sun_path[0] = '\0';
		exchanged.sun_path[0] = 'r';
	}
	return unused;
}

static bool is_changed(int fd, const struct stat *before)
{
	struct stat now;
	return fstat(fd, &now) < 0 || now.st_ctim.tv_sec != before->st_ctim.tv_sec ||
	       now.st_ctim.tv_nsec != before->st_ctim.tv_nsec || now.st_mode != before->st_mode;
}

static void bind_once(void)
{
	struct sockaddr_un got = { 0 };
	socklen_t size = sizeof(got);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    bind(fd, (const struct sockaddr *)&exchanged, sizeof(sa_family_t) + 16) == 0 &&
	    getsockname(fd, (struct sockaddr *)&got, &size) == 0 && !got.sun_path[0])
		printf("HIT bind\n");
	close(fd);
	unlink("race-socket-name");
}

static void change_once(unsigned long turn)
{
	char name[] = "race/place/file";
	set_flags(FS_IOC_SETFLAGS);
	fchmod(shared_number, turn % 2 ? 0600 : 0640);
	syscall(SYS_fchown, shared_number, getuid(), getgid());
	futimens(shared_number, then);
	fsetxattr(shared_number, "user.race", "x", 1, 0);
	syscall(CALL_FCHMODAT2, shared_number, "", 0640, EMPTY);
	chmod(name, turn % 2 ? 0600 : 0640);
	syscall(SYS_fchownat, AT_FDCWD, name, getuid(), getgid(), 0);
	utimensat(AT_FDCWD, name, then, 0);
	setxattr(name, "user.race", "x", 1, 0);
	bind_once();
}

static int race(char **words)
{
	static void *(*const exchanges[])(void *) = { exchange_numbers, exchange_names,
						      exchange_address };
	pthread_t threads[3];
	struct stat before, own_before;
	unsigned long turns = 0;
	bool own_changed = false;
	time_t end = time(NULL) + atoi(words[3]);
	if (open_file(words[0]) < 0 || (own_read = open(words[1], O_RDONLY)) < 0)
		return 1;
	shared_number = dup(own_read);
	fstat(file.read, &before);
	fstat(own_read, &own_before);
	fill(&exchanged, words[2], 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, exchanges[i], NULL);
	// On a slow machine as many turns, for up to as long as is waited for anything.
	for (;
	     time(NULL) < end || ((turns < TURNS_LEAST || !own_changed) && time(NULL) < end + 120);
	     turns++) {
		change_once(turns);
		own_changed = own_changed || is_changed(own_read, &own_before);
		if (is_changed(file.read, &before)) {
			printf("HIT metadata\n");
			break;
		}
	}
	over = true;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	printf("turns %s, own file %s\n", turns >= TURNS_LEAST ? "many" : "few",
	       own_changed ? "changed" : "unchanged");
	fprintf(stderr, "%lu turns\n", turns);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int words;
		int (*act)(char **words);
	} acts[] = {
		{ "ways", 1, try_ways },
		{ "send", 1, send_all },
		{ "take", 2, take_all },
		{ "race", 4, race },
	};
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (argc == 2 + acts[i].words && strcmp(argv[1], acts[i].name) == 0)
			return acts[i].act(argv + 2);
	fprintf(stderr, "outside: ways, send, take or race\n");
	return 2;
}
