#!/usr/bin/env node
// Starts the program where the install script was not run (npm --ignore-scripts): some 40 ms slower than the file that
// postinstall.js puts here. Signals go to the program, and its status is this one's.
const { spawn } = require("child_process");
const path = require("path");
const name = path.basename(process.argv[1]);
let file;
try {
  file = require.resolve(`sbx-sandbox-linux-${process.arch}/bin/sbx`);
} catch {
  console.error(`sbx: the package 'sbx-sandbox-linux-${process.arch}' is not installed; install 'sbx-sandbox' without --omit=optional`);
  process.exit(125);
}
const child = spawn(file, process.argv.slice(2), { stdio: "inherit", argv0: name });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH"])
  process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`sbx: '${file}': ${error.message}`);
  process.exit(125);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
