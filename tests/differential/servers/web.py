#!/usr/bin/env python3
"""Two names on one address by Python's own http.server and ssl.     web.py LAB ADDRESS N"""
import http.server
import resource
import ssl
import sys
import threading

lab, address, number = sys.argv[1:]
ALLOWED = f"www{number}.allowed.test"
log = open(lab + "/python.seen", "a", buffering=1)
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 20000), hard))


def allowed(name):
    return (name or "").lower().split(":")[0].rstrip(".") == ALLOWED


def seen(name):
    if not allowed(name):
        log.write(f"{name}\n")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 40

    def passes_over(self):
        return self.server.server_port > 8000

    def answer(self):
        # http.server leaves bodies to the program: what is not read here is the next request, as at ports 8080 and 8443.
        lengths = self.headers.get_all("content-length") or ["0"]
        if "transfer-encoding" in self.headers or len(lengths) > 1 or not lengths[0].isdigit():
            self.close_connection = not self.passes_over()
        elif not self.passes_over():
            self.rfile.read(int(lengths[0]))
        name = self.headers.get("host", "")
        seen(name)
        text = "ALLOWED-python\n" if allowed(name) else f"FORBIDDEN-python-[{name}]-{self.request_version};\n"
        body = text.encode("latin1", "replace")
        if self.request_version != "HTTP/0.9":
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)

    do_GET = do_HEAD = do_POST = do_PUT = do_OPTIONS = answer

    def log_message(self, *words):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 2048
    context = None

    def handle_error(self, request, client):
        pass

    def finish_request(self, request, client):
        request.settimeout(40)
        if self.context:
            request = self.context.wrap_socket(request, server_side=True)
        super().finish_request(request, client)


def context(name):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(f"{lab}/{name}.pem", f"{lab}/{name}.key")
    return made


good, bad = context("allowed"), context("forbidden")


def choose(link, name, _):
    seen(name)
    link.context = good if allowed(name) else bad


bad.sni_callback = choose
threading.stack_size(256 * 1024)
for port in (80, 8080, 443, 8443):
    server = Server((address, port), Handler)
    server.context = bad if port in (443, 8443) else None
    threading.Thread(target=server.serve_forever).start()
