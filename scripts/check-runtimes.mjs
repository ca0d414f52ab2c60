// Runs the packed packages in every runtime that they name: Node 22, 24 and 26, Bun and Deno, all
// from the npm registry. A package's part is packages/*/runtimes/*.mjs: a program without a test
// runner that throws when something is wrong. Where one needs a service to talk to, it finds a
// sandbox in GAME_DATA_SANDBOX, which holds the line that the sandbox prints when it is ready.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, globSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { root, withConsumer } from "./consumer.mjs";

const RUNTIMES = [
  ["node@22.19.0", "node"],
  ["node@24.21.0", "node"],
  ["node@26.10.0", "node"],
  ["bun@1.4.5", "bun", "run"],
  ["deno@2.9.6", "deno", "run", "--allow-all", "--quiet"],
];
const PROGRAM_TIMEOUT_MS = 120_000;

const programs = globSync("packages/*/runtimes/*.mjs", { cwd: root }).toSorted();

const sandbox = spawn(
  process.execPath,
  ["packages/sandbox/src/main.ts", "--port", "0", "--seed", "1"],
  {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  },
);
const failures = [];
try {
  const [ready] = await once(createInterface({ input: sandbox.stdout }), "line");
  const env = { ...process.env, GAME_DATA_SANDBOX: ready };
  await withConsumer({}, (folder) => {
    for (const program of programs) {
      const copy = join(folder, `${program.split("/")[1]}-${basename(program)}`);
      copyFileSync(join(root, program), copy);
      for (const [name, command, ...args] of RUNTIMES) {
        const started = performance.now();
        try {
          const npx = [
            "--yes",
            "--loglevel=error",
            `--package=${name}`,
            "--",
            command,
            ...args,
            copy,
          ];
          execFileSync("npx", npx, {
            cwd: folder,
            env,
            stdio: "pipe",
            timeout: PROGRAM_TIMEOUT_MS,
          });
          console.log(`ok    ${name} ${program} (${Math.round(performance.now() - started)} ms)`);
        } catch (error) {
          failures.push(`${name} ${program}`);
          console.log(`FAIL  ${name} ${program}\n${error.stdout}${error.stderr}`);
        }
      }
    }
  });
} finally {
  sandbox.kill("SIGTERM");
}
process.exitCode = failures.length === 0 && programs.length > 0 ? 0 : 1;
