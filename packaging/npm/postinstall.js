// Puts the program itself where the launcher was, so that a command starts without Node.
const fs = require("fs");
const path = require("path");
let file;
try {
  file = require.resolve(`sbx-sandbox-linux-${process.arch}/bin/sbx`);
} catch {
  process.exit(0); // the launcher says which package is missing
}
for (const name of ["sbx", "sbx-shell"]) {
  const place = path.join(__dirname, "bin", name);
  const made = `${place}.new`;
  fs.rmSync(made, { force: true });
  try {
    fs.linkSync(file, made);
  } catch {
    fs.copyFileSync(file, made);
  }
  fs.chmodSync(made, 0o755);
  fs.renameSync(made, place);
}
