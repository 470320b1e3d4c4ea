#!/bin/bash
# Programs of files, texts and processes do the same inside as outside: each line below runs in a fresh copy
# of one directory, on the host and in a box, by the system's programs and once more by busybox where that
# has them; output, status and the files that are left must be equal.
. "$(dirname "$0")/../lib.sh"
mkdir "$work/seed"
cd "$work/seed" || exit 1
printf 'pear\napple\nfig\napple\nquince 3\n' >a
printf 'fig\nkiwi\npear\n' >b
seq 200 >n
mkdir -p d/e/f && echo deep >d/e/f/x && echo other >d/y && ln -s ../a d/link && ln a hard && mkfifo pipe
printf '#!/bin/sh\necho "ran $*"\n' >run.sh && chmod 755 run.sh
dd if=/dev/zero of=zero bs=1k count=64 2>/dev/null
touch -d '2020-01-02 03:04:05 UTC' a b n d/y
cat >"$work/lines" <<'END'
cat a b
cat -n a
tac n
head -3 n
tail -n 2 n
tail -c 9 n
sort a
sort -u a
sort -r -n n
sort -k2 a
uniq a
sort a | uniq -c
sort a | uniq -d
wc a
wc -l n b
wc -c zero
cut -c1-3 a
cut -d' ' -f2 a
tr a-z A-Z <a
tr -d e <a
tr -s p <a
paste a b
paste -s b
comm <(sort a) b
comm -12 <(sort -u a) b
join <(sort -u a) b
split -l 50 n part
split -b 20k zero z
nl b
fold -w 3 a
expand a
unexpand -a a
fmt -w 20 n
rev b
od -c b
od -An -tx1 b
xxd b
hexdump -C b
strings zero a
base64 a
base64 a | base64 -d
base32 b
cksum a b
sum a
md5sum a b
sha1sum a
sha256sum a n
sha512sum b
sha256sum a >s && sha256sum -c s
md5sum a >m && echo x >>a && md5sum -c m
grep p a
grep -c p a
grep -v p a
grep -n fig a b
grep -E '^(fig|kiwi)$' a b
grep -F apple a
grep -r deep d
grep -l pear a b n
grep -q nothing a
grep -w fig b
grep -i APPLE a
sed 's/p/P/g' a
sed -n 2,3p a
sed -i s/fig/FIG/ a
sed '/apple/d' a
sed -e 1i\top a
sed '$!N;s/\n/ /' b
awk '{ print NR, $1 }' a
awk 'NR % 50 == 0' n
awk '{ s += $1 } END { print s }' n
awk -F: '{ print $1 }' /etc/group
awk 'BEGIN { while (("echo x" | getline l) > 0) print l }'
diff a b
diff -u a a
diff -r d d
cmp a b
cmp a hard
patch -p0 <<<$'--- b\n+++ b\n@@ -1,3 +1,3 @@\n fig\n-kiwi\n+lime\n pear\n'
cp a c
cp -r d g
cp -a d g
cp -p a c
cp -l a c
cp -s "$PWD/a" c
cp -u a b
mv a c
mv d/y .
mv -n a b
rm a
rm -r d
rm -f nothing
rm nothing
rmdir d
mkdir -p u/v/w
mkdir d
mkdir -m 700 u
rmdir d/e/f
ln a c
ln -s a c
ln -sf b d/link
ln -T a d
touch new
touch -r a new
touch -d 2021-01-01 a
chmod 600 a
chmod u=rwx,go= a
chmod -R go-rwx d
chmod +x a
stat -c '%n %s %a %h %F' a d pipe hard
stat -c %Y a
ls
ls -a
ls -l a | cut -c1-10
ls -R d
ls -1t
ls nothing
ls -d d/*
ls -i a hard | awk '{ print $1 }' | uniq | wc -l
find d
find . -type f -name '[ab]'
find . -type l
find . -type p
find . -size +10k
find . -newer a -type f | sort
find d -empty
find d -depth
find . -name x -exec cat {} \;
find . -name x -exec cat {} +
find . -name y -delete
find . -perm 755 -type f
find . -links 2 -type f | sort
find d -mindepth 2 -maxdepth 3
find . -name b -print0 | xargs -0 cat
xargs echo <b
xargs -n 1 echo <b
xargs -I X echo "[X]" <b
seq 6 | xargs -P 2 -n 1 echo | sort
readlink d/link
readlink -f d/link
realpath --relative-to=. d/link
basename /a/b.c .c
dirname /a/b/c
pathchk a
du -a d | cut -f2 | sort
du -b a
df . >/dev/null
truncate -s 5 a
truncate -s 1M c
truncate -s +3 a
dd if=a of=c bs=1 skip=2 count=4 2>/dev/null
dd if=zero of=c bs=1k seek=3 count=1 status=none
dd if=a of=c conv=ucase status=none
tee c <a
tee -a b <a
install -m 640 a c
install -d -m 750 q
shred -n 1 -u a
sync a
mktemp -u -p . XXX | wc -c
mktemp -d >/dev/null
mkfifo p
cat a >pipe & cat pipe; wait
timeout 1 sleep 0.01
timeout 0.1 sleep 5
timeout -s KILL 0.1 sleep 5
sleep 0.01
true
false
sh -c 'exit 7'
sh -c 'kill -9 $$'
sh -c 'kill -TERM $$'
test -f a
test -d a
test -L d/link
test -p pipe
test -x run.sh
test a -nt run.sh
test -s zero
[ 3 -gt 2 ]
[ -w a ]
[ -r nothing ]
expr 6 \* 7
expr abc : 'a\(.\)'
seq 1 3 10
seq -w 8 11
seq -s , 5
factor 360
printf '%05d|%-5s|%x\n' 42 ab 255
printf '%s\n' a b c
echo -e 'a\tb'
yes | head -2
date -u -d @86400 +%F
date -u -r a +%s
env -i A=1 env
env -u HOME sh -c 'echo ${HOME-none}'
printenv NOTHING
id -u
id -un
whoami
groups
logname
uname -s
uname -m
arch
nproc
getconf PAGE_SIZE
pwd
pwd -P
tty
chown 0:0 a
chgrp 0 a
chown "$(id -u):$(id -g)" a
fakeroot sh -c 'chown -R 0:0 d; install -o root -g root -m 644 a c; tar cf - d c' | tar tvf - | awk '{ print $1, $2, $6 }'
umask
nice -n 5 nice
nice
nohup true
setsid true
./run.sh a 'b c'
sh run.sh x
sh -c 'echo $0 $1' z y
sh -c 'cd d && pwd -P | sed "s/.*\///"'
sh -c 'trap "echo t" EXIT; exit 3'
sh -c 'trap "echo got" USR1; kill -USR1 $$; echo after'
sh -c 'sleep 0.05 & wait $!; echo $?'
sh -c '(exit 4); echo $?'
sh -c 'set -e; false; echo no'
sh -c 'x=$(cat a | wc -l); echo $x'
sh -c 'read l <a; echo $l'
sh -c 'for i in 1 2 3; do echo $i; done | tail -1'
sh -c 'ulimit -n 64; ulimit -n'
sh -c 'exec 3>o; echo hi >&3; cat o'
bash -c 'echo ${BASH_VERSINFO[0]}'
bash -c 'a=(1 2 3); echo ${#a[@]}'
bash -c 'cat <(echo x) <(echo y)'
bash -c 'coproc cat; echo hi >&${COPROC[1]}; read -r -u ${COPROC[0]} l; echo $l'
bash -c 'mapfile -t l <a; echo ${#l[@]}'
bash -c 'wait -n 2>/dev/null; echo $?'
bash -c 'set -o pipefail; false | true; echo $?'
bash -c '[[ a -ef hard ]]; echo $?'
bash -c 'time -p true' 2>&1 | wc -l
bash -c 'kill -l 9'
bash -c 'echo $(( 2 ** 40 ))'
bash -c 'shopt -s globstar; echo **/x'
bash -c 'printf "%q\n" "a b"'
tar cf t.tar d a && tar tf t.tar
tar czf t.tgz d && tar xzf t.tgz -C d && find d | sort
tar cf - d | tar xf - -C d/e && find d | sort
tar cf t.tar --owner=0 --group=0 a && tar tvf t.tar | cut -c1-10
cpio -o <<<a 2>/dev/null | cpio -t 2>/dev/null
gzip -k a && zcat a.gz
gzip -c n | gunzip | tail -1
gzip -l <(gzip -c n) >/dev/null
bzip2 -k a && bzcat a.bz2
xz -k a && xzcat a.xz
unxz <(xz -c a) -c
split -n 3 n && ls x?? | wc -l
csplit -s n 50 100 && ls xx*
tsort <<<'a b
b c'
shuf -i 1-1
numfmt --to=iec 2048
column -t a
colrm 2 3 <b
look fig b
pr -t -2 b
ptx b | wc -l
uuidgen | wc -c
cal 1 2020
bc <<<'scale=3; 22/7'
dc -e '2 3 + p'
m4 <<<'define(x, 5)x'
ed -s b <<<$'1d\nw\nq'
ex -s -c '%s/fig/lime/' -c x b
vim -es -u NONE -c '%s/fig/lime/' -c x b
python3 -c 'print(sum(range(10)))'
python3 -c 'import os; print(sorted(os.listdir(".")))'
python3 -c 'import os; print([os.access("a", m) for m in (4, 2, 1)])'
python3 -c 'import shutil; shutil.copytree("d", "c"); print(open("c/y").read())'
python3 -c 'import tempfile; print(tempfile.TemporaryFile().write(b"x"))'
python3 -c 'import subprocess; print(subprocess.run(["cat", "b"], capture_output=True).stdout)'
python3 -c 'import multiprocessing as m; p = m.Pool(2); print(p.map(abs, [-1, 2])); p.close(); p.join()'
python3 -c 'import threading as t; x = t.Thread(target=print, args=("t",)); x.start(); x.join()'
python3 -c 'import fcntl; f = open("a"); fcntl.flock(f, fcntl.LOCK_EX); print("locked")'
python3 -c 'import mmap; f = open("a", "r+b"); m = mmap.mmap(f.fileno(), 0); m[0:1] = b"X"; m.close(); print(open("a").read())'
python3 -c 'import os; r, w = os.pipe(); os.write(w, b"z"); print(os.read(r, 1))'
python3 -c 'import os; os.rename("a", "q"); os.link("q", "w"); print(os.stat("w").st_nlink)'
python3 -c 'import os; os.symlink("x", "y"); os.replace("b", "y"); print(open("y").read())'
python3 -c 'import os; f = os.memfd_create("x"); os.write(f, b"abc"); print(os.fstat(f).st_size)'
python3 -c 'import os; print(os.posix_fadvise(os.open("a", 0), 0, 0, 1))'
python3 -c 'import os; f = os.open("c", 65); os.posix_fallocate(f, 0, 4096); print(os.fstat(f).st_size)'
python3 -c 'import os; os.setxattr("a", "user.x", b"1"); print(os.getxattr("a", "user.x"))'
python3 -c 'import os; s = os.open("a", 0); d = os.open("c", 65); print(os.copy_file_range(s, d, 10))'
python3 -c 'import os; s = os.open("a", 0); d = os.open("c", 65); print(os.sendfile(d, s, 0, 5))'
python3 -c 'import socket; a, b = socket.socketpair(); a.send(b"x"); print(b.recv(1))'
python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.bind("s"); s.listen(); c = socket.socket(socket.AF_UNIX); c.connect("s"); print(s.accept()[0].send(b"x"))'
python3 -c 'import socket, threading; s = socket.create_server(("127.0.0.1", 0)); c = socket.create_connection(s.getsockname()); print(c.send(b"abc"), s.accept()[0].recv(3))'
python3 -c 'import signal, os; signal.signal(10, lambda *a: print("sig")); os.kill(os.getpid(), 10)'
python3 -c 'import signal, time; signal.signal(14, lambda *a: print("alarm")); signal.setitimer(0, 0.02); time.sleep(0.2)'
python3 -c 'import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32)); print(resource.getrlimit(7))'
python3 -c 'import select, os; r, w = os.pipe(); e = select.epoll(); e.register(r); os.write(w, b"1"); print(len(e.poll(1)))'
python3 -c 'import pty; print(pty.spawn(["echo", "tty"]))'
python3 -c 'import os; print(os.waitstatus_to_exitcode(os.system("exit 5")))'
python3 -c 'import time; print(time.gmtime(0).tm_year)'
python3 -c 'import sqlite3; d = sqlite3.connect("x.db"); d.execute("create table t(a)"); d.execute("insert into t values(1)"); d.commit(); print(d.execute("select * from t").fetchall())'
python3 -c 'import json, hashlib; print(hashlib.sha256(open("a", "rb").read()).hexdigest())'
python3 -c 'import asyncio; print(asyncio.run(asyncio.sleep(0.01, "slept")))'
python3 -c 'import os; os.chmod("a", 0o400); print(oct(os.stat("a").st_mode))'
python3 -c 'import os; os.utime("a", (1, 2)); print(os.stat("a").st_mtime)'
python3 -c 'import os; print(os.path.samefile("a", "hard"))'
python3 -c 'open("nothing")' 2>&1 | tail -1
python3 -c 'import os; os.mkdir("d")' 2>&1 | tail -1
python3 -c 'import os; os.rmdir("d")' 2>&1 | tail -1
perl -e 'print join(",", sort glob("*")), "\n"'
perl -ne 'print if /p/' a
perl -pi -e s/fig/FIG/ a
perl -e 'if (fork) { wait; print $? >> 8, "\n" } else { exit 6 }'
perl -e 'open F, "|cat"; print F "x\n"; close F; print $?'
export GIT_{AUTHOR,COMMITTER}_DATE=2020-01-02T03:04:05Z; git init -q r && cd r && echo x >f && git add f && git -c user.name=a -c user.email=b commit -qm c && git log --format='%s %ct'
git diff --no-index a b
make -f - <<<$'all: c\nc: a\n\tcp a c'
gcc -x c - -o c.out <<<'int main(void) { return 9; }' && ./c.out
gcc -x c - -o c.out <<<$'#include <stdio.h>\nint main(void) { puts("hi"); return ferror(stdout); }' && ./c.out
strip run.sh
file a
ar rc l.a a b && ar t l.a
openssl dgst -sha256 a
curl -s "file://$PWD/b"
rsync -a d/ c && find c | sort
flock lock echo held
script -qec 'echo in' /dev/null
END
programs=" cat tac head tail sort uniq wc cut tr paste comm split nl fold expand fmt rev od xxd hexdump strings base64 base32 cksum sum md5sum sha1sum sha256sum sha512sum grep sed awk diff cmp cp mv rm rmdir mkdir ln touch chmod stat ls find xargs readlink realpath basename dirname du truncate dd tee install shred mkfifo timeout sleep true false sh test [ expr seq factor printf echo env printenv id whoami uname nproc pwd nice setsid tar gzip bzip2 xz shuf tsort cal bc dc ed flock "
reach=$work/reach
mkdir "$reach"
one() { # beside or inside, command: output, status and what is left
	local place=$work/$1/work
	rm -rf "${work:?}/$1" && mkdir -p "$work/$1" && cp -a "$work/seed" "$place" && cd "$place" || return
	if [ "$1" = inside ]; then
		"$SBX" run --no-protect -- bash -c "umask 022; $2"
	else
		(umask 022; bash -c "$2")
	fi </dev/null >"$reach/output" 2>&1
	echo "status $?"
	# "Killed" is said by this shell.
	sed "s|$place|PLACE|g; / Killed  /d" "$reach/output"
	find . -type p -prune -o -printf '%p %y %m %s %n\n' | grep -v '^\. ' | sed 's/ d \([0-9]*\) .*/ d \1/' | sort
	find . -type f ! -name '*.gz' ! -name '*.tgz' ! -name '*.tar' ! -name '*.db' ! -path './r/.git/*' ! -name c.out -exec sha256sum {} + | sort
}
ran=0 missing=0
compare() { # command
	one beside "$1" >"$reach/beside"
	if [ "$(head -1 "$reach/beside")" = "status 127" ]; then
		missing=$((missing + 1))
		return
	fi
	one inside "$1" >"$reach/inside"
	ran=$((ran + 1))
	diff "$reach/beside" "$reach/inside" >"$reach/diff" || fail "$1" "$(head -8 "$reach/diff")"
}
while IFS= read -r line; do
	compare "$line"
	first=${line%% *}
	[[ $programs != *" $first "* ]] || ! command -v busybox >/dev/null || compare "busybox $line"
done <"$work/lines"
cd "$work" || exit 1
is "at least 300 of $ran commands were there to compare ($missing are not installed)" yes "$([ $ran -ge 300 ] && echo yes)"
done_testing
