// SPDX-License-Identifier: Apache-2.0
// Boot MicroPython, put the translated model in front of it, run one program, print what it prints.
// Standard input: {"files": {"cdna/...py": source}, "program": source}.
import { readFileSync } from "node:fs";
import { loadMicroPython } from "@micropython/micropython-webassembly-pyscript/micropython.mjs";

const { files, program } = JSON.parse(readFileSync(0, "utf-8"));
const lines = [];
const mp = await loadMicroPython({ heapsize: 32 * 1024 * 1024, linebuffer: true, stdout: (line) => lines.push(line) });
mp.FS.mkdir("/model");
const made = new Set();
for (const [path, source] of Object.entries(files)) {
  const parts = path.split("/").slice(0, -1);
  for (let i = 1; i <= parts.length; i++) {
    const folder = "/model/" + parts.slice(0, i).join("/");
    if (!made.has(folder)) mp.FS.mkdir(folder);
    made.add(folder);
  }
  mp.FS.writeFile("/model/" + path, source);
}
mp.FS.writeFile("/model/program.py", program);
try {
  mp.runPython("import sys\nsys.path.insert(0, '/model')\nimport program");
} catch (error) {
  console.error(String(error.message ?? error));
  process.exit(1);
}
console.log(lines.join("\n"));
