// Two names on one address: HTTP, HTTPS by SNI, HTTP/2 in plain text.   node node.js LAB ADDRESS N
const fs = require('fs'), http = require('http'), http2 = require('http2'), https = require('https'), tls = require('tls');
const [lab, address, n] = process.argv.slice(2);
const allowed = `www${n}.allowed.test`;
const log = fs.openSync(`${lab}/node.seen`, 'a');
const pair = (name) => ({ cert: fs.readFileSync(`${lab}/${name}.pem`), key: fs.readFileSync(`${lab}/${name}.key`) });
const contexts = { allowed: tls.createSecureContext(pair('allowed')), forbidden: tls.createSecureContext(pair('forbidden')) };
const isAllowed = (name) => (name || '').toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '') === allowed;
const seen = (name) => { if (!isAllowed(name)) fs.writeSync(log, `${name}\n`); };
function answer(request, response) {
	const name = request.headers[':authority'] || request.headers.host || '';
	seen(name);
	response.end(isAllowed(name) ? 'ALLOWED-node\n' : `FORBIDDEN-node-[${name}]-HTTP/${request.httpVersion};\n`);
}
function serve(server, port) {
	for (const what of ['clientError', 'sessionError', 'error'])
		server.on(what, (error, socket) => socket && socket.destroy && socket.destroy());
	// OpenSSL knows the name also where node's own callback ran for an earlier hello alone.
	server.on('tlsClientError', (error, socket) => {
		const name = socket._handle && socket._handle.getServername && socket._handle.getServername();
		if (name) seen(name);
		socket.destroy();
	});
	server.setTimeout && server.setTimeout(40000);
	server.listen({ port, host: address, backlog: 2048 });
}
const byName = { ...pair('forbidden'), SNICallback(name, done) {
	seen(name);
	done(null, isAllowed(name) ? contexts.allowed : contexts.forbidden);
} };
for (const port of [80, 8080]) serve(http.createServer(answer), port);
for (const port of [443, 8443]) serve(https.createServer(byName, answer), port);
const plain = http2.createServer(answer);
plain.on('session', (session) => { session.setTimeout(40000, () => session.destroy()); session.on('error', () => {}); });
serve(plain, 8081);
process.on('uncaughtException', () => {});
