// Runs the Khronos glTF validator over GLB files: one line per file, failure on any error or warning.
//
//     NODE_PATH=FOLDER/node_modules node validate.mjs FILE.glb ...
//
// Needs npm's gltf-validator.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";

// Unlike import, require looks in NODE_PATH too.
const validator = createRequire(import.meta.url)("gltf-validator");

let failed = process.argv.length < 3;
for (const path of process.argv.slice(2)) {
    const { issues } = await validator.validateBytes(new Uint8Array(readFileSync(path)), { maxIssues: 100 });
    const bad = issues.messages.filter((message) => message.severity <= 1);
    const clean = issues.numErrors + issues.numWarnings === 0;
    console.log(`${clean ? "ok  " : "FAIL"} validator ${basename(path)}: ${issues.numErrors} errors, ${issues.numWarnings} warnings`);
    for (const { code, message, pointer } of bad.slice(0, 10)) {
        console.log(`       ${code} at ${pointer}: ${message}`);
    }
    failed ||= !clean;
}
process.exit(failed ? 1 : 0);
