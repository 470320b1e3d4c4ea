// For roots.sh, linked statically. "enter ROOT UID DIRECTORY PROGRAM WORD...": the program in this
// root by pivot_root, as this user with one group; "leave" the same, where it is mounted with all
// it needs, and the current directory. The other words are for the box: it exits with 0 for "true",
// and 1 where "read FILE", "list DIRECTORY", "write FILE", "make DIRECTORY" or "move FROM TO"
// fails.
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int leave(char **words)
{
	uid_t uid = (uid_t)strtoul(words[1], NULL, 10);
	if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 ||
	    setgroups(0, NULL) < 0 || setgid(uid) < 0 || setuid(uid) < 0 || chdir(words[2]) < 0)
		return perror("bare: leave"), 2;
	execv(words[3], words + 3);
	return perror(words[3]), 127;
}

static int enter(char **words)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(words[0], words[0], NULL, MS_BIND, NULL) < 0 || chdir(words[0]) < 0 ||
	    mount("proc", "proc", "proc", 0, NULL) < 0 ||
	    mount("/dev", "dev", NULL, MS_BIND | MS_REC, NULL) < 0)
		return perror("bare: enter"), 2;
	return leave(words);
}

static int print(const char *path)
{
	char text[4096];
	ssize_t length;
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return perror(path), 1;
	while ((length = read(fd, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)length, stdout);
	return length < 0 ? perror(path), 1 : 0;
}

static int list(const char *path)
{
	DIR *stream = opendir(path);
	for (struct dirent *entry = stream ? readdir(stream) : NULL; entry; entry = readdir(stream))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			puts(entry->d_name);
	return stream ? 0 : (perror(path), 1);
}

int main(int count, char **words)
{
	if (count > 5 && strcmp(words[1], "enter") == 0)
		return enter(words + 2);
	if (count > 5 && strcmp(words[1], "leave") == 0)
		return leave(words + 2);
	if (count == 2 && strcmp(words[1], "true") == 0)
		return 0;
	if (count == 3 && strcmp(words[1], "read") == 0)
		return print(words[2]);
	if (count == 3 && strcmp(words[1], "list") == 0)
		return list(words[2]);
	if (count == 3 && strcmp(words[1], "make") == 0)
		return mkdir(words[2], 0755) < 0 ? perror(words[2]), 1 : 0;
	if (count == 4 && strcmp(words[1], "move") == 0)
		return rename(words[2], words[3]) < 0 ? perror(words[2]), 1 : 0;
	if (count == 3 && strcmp(words[1], "write") == 0)
		return open(words[2], O_WRONLY | O_CREAT | O_APPEND, 0644) < 0 ? perror(words[2]),
		       1                                                       : 0;
	return fprintf(stderr, "bare: what?\n"), 2;
}
