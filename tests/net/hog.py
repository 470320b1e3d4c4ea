# Takes all that its user's limits leave of one counter, makes the file `full`, and waits for the file `enough`.
#   hog.py flight | epoll | inotify | pids | signals | ptys | pipes | timers | locks | memory | aio
import array, ctypes, fcntl, mmap, os, resource, select, signal, socket, sys, time

libc = ctypes.CDLL(None, use_errno=True)
kept = []


def until_refused(most, take):
    for i in range(most):
        try:
            kept.append(take(i))
        except OSError:
            return i
    return most


def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def files():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


def flight():
    files()

    pairs = []
    many = array.array("i", [0] * 253)

    def send(i):
        if i % 100 == 0:
            pairs.append(socket.socketpair())
        pairs[-1][0].sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, many)])

    kept.append(pairs)
    return 253 * until_refused(20000, send)


def epoll():
    most = int(open("/proc/sys/fs/epoll/max_user_watches").read())
    each = min(files() - 2000, 100000)
    event = libc.eventfd(0, 0)
    numbers = [os.dup(event) for i in range(each)]
    count = 0
    for i in range(most // each + 2):
        poll = select.epoll()
        kept.append(poll)
        try:
            for fd in numbers:
                poll.register(fd, select.EPOLLIN)
                count += 1
        except OSError:
            break
    return count


def inotify():
    def instance(i):
        fd = check(libc.inotify_init())
        check(libc.inotify_add_watch(fd, b"/", 2))
        return fd

    return until_refused(files(), instance)


def pids():
    def child(i):
        pid = os.fork()
        while pid == 0:
            signal.pause()
        return pid

    return until_refused(100000, child)


def signals():
    count = 0
    signal.pthread_sigmask(signal.SIG_BLOCK, range(34, 65))
    while libc.sigqueue(os.getpid(), 40, None) == 0:
        count += 1
    return count


def ptys():
    files()
    return until_refused(5000, lambda i: os.openpty())


def pipes():
    def pipe(i):
        ends = os.pipe()
        fcntl.fcntl(ends[0], 1031, 1 << 20)
        return ends

    files()
    count = until_refused(3000, pipe)
    return count + until_refused(3000, lambda i: os.pipe())


def timers():
    def timer(i):
        return check(libc.timer_create(1, None, ctypes.byref(ctypes.c_void_p())))

    return until_refused(200000, timer)


def locks():
    fd = os.open("locked", os.O_RDWR | os.O_CREAT)
    return until_refused(10000, lambda i: fcntl.lockf(fd, fcntl.LOCK_EX, 1, 2 * i))


def memory():
    def lock(i):
        area = mmap.mmap(-1, 4096)
        check(libc.mlock(ctypes.byref(ctypes.c_char.from_buffer(area)), 4096))
        return area

    return until_refused(20000, lock)


def aio():
    def context(i):
        area = ctypes.c_ulong()
        return check(libc.syscall(206, 1000, ctypes.byref(area)))

    return until_refused(10000, context)


print(sys.argv[1], globals()[sys.argv[1]](), flush=True)
open("full", "w").close()
while not os.path.exists("enough"):
    time.sleep(0.05)
os.kill(0, signal.SIGKILL)
