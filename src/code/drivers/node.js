// Cells for node: the text before a line "%%" is run in one context, a value is shown, then 0 or 1
// is printed. A promise is waited for.
const vm = require("vm"), util = require("util");
globalThis.require = require;
let cell = [], queue = Promise.resolve();
async function run(text) {
	let status = 0;
	try {
		const value = await vm.runInThisContext(text, { filename: "<cell>" });
		if (value !== undefined)
			console.log(typeof value === "string" ? value : util.inspect(value));
	} catch (error) {
		console.error(error);
		status = 1;
	}
	process.stdout.write("%%" + status + "\n");
}
const lines = require("readline").createInterface({ input: process.stdin });
function end() {
	const text = cell.join("\n");
	cell = [];
	queue = queue.then(() => run(text));
}
lines.on("line", (line) => line === "%%" ? end() : cell.push(line));
lines.on("close", () => { if (cell.length) end(); });
