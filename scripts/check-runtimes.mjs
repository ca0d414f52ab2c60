// Runs the packed packages in every runtime that they name: Node 22, 24 and 26, Bun and Deno, all
// from the npm registry. A package's part is packages/*/runtimes/*.mjs: a program without a test
// runner that throws when something is wrong. Where one needs a service to talk to, it finds a
// sandbox in GAME_DATA_SANDBOX, which holds the line that the sandbox prints when it is ready.
//
// The results are the table of docs/runtimes.md: --write writes it, otherwise a difference fails.
import { execFileSync } from "node:child_process";
import { copyFileSync, globSync } from "node:fs";
import { basename, join } from "node:path";
import { withConsumer, withSandbox } from "./published.mjs";
import { conclude, put, root, table } from "./repository.mjs";

const RUNTIMES = [
  ["node@22.19.0", "node"],
  ["node@24.21.0", "node"],
  ["node@26.10.0", "node"],
  ["bun@1.4.5", "bun", "run"],
  ["deno@2.9.6", "deno", "run", "--allow-all", "--quiet"],
];
const PROGRAM_TIMEOUT_MS = 120_000;

const programs = globSync("packages/*/runtimes/*.mjs", { cwd: root }).toSorted();

const failures = [];
const passed = new Set();
await withSandbox((ready) => {
  const env = { ...process.env, GAME_DATA_SANDBOX: ready };
  return withConsumer({}, (folder) => {
    for (const program of programs) {
      const copy = join(folder, `${program.split("/")[1]}-${basename(program)}`);
      copyFileSync(join(root, program), copy);
      for (const [name, command, ...args] of RUNTIMES) {
        const started = performance.now();
        try {
          const npx = ["--yes", "--loglevel=error", `--package=${name}`, "--", command];
          const options = { cwd: folder, env, stdio: "pipe", timeout: PROGRAM_TIMEOUT_MS };
          execFileSync("npx", [...npx, ...args, copy], options);
          passed.add(`${program} ${name}`);
          console.log(`ok    ${name} ${program} (${Math.round(performance.now() - started)} ms)`);
        } catch (error) {
          failures.push(`${program} fails with ${name}`);
          console.log(`FAIL  ${name} ${program}\n${error.stdout}${error.stderr}`);
        }
      }
    }
  });
});

const BROWSER = {
  schemas: "yes",
  contract: "yes",
  "tree-link": "yes",
  "oauth-pkce": "the protocol; tokens belong on a server",
  "rate-limit": "yes",
  "api-client": "yes",
  "stream-follower": "no",
  sandbox: "the `./web` entry",
};
const label = (name) => name.replace("@", " ").replace(/^./, (first) => first.toUpperCase());
const rows = programs.map((program) => {
  const [, name] = program.split("/");
  const cells = RUNTIMES.map(([runtime]) => (passed.has(`${program} ${runtime}`) ? "yes" : "no"));
  return [`\`${name}\``, ...cells, BROWSER[name]];
});
const text = `# Runtimes

Where each package runs. Every "yes" is a program that ran there from the packed package; the column of browsers names what the
browser tests and the size budgets bundle for one. Written by \`node scripts/check-runtimes.mjs --write\`; do not edit.

${table(["package", ...RUNTIMES.map(([name]) => label(name)), "browsers"], rows)}
`;
const isChecked = !process.argv.includes("--write");
failures.push(
  ...put("docs/runtimes.md", text, "node scripts/check-runtimes.mjs --write", isChecked),
);
conclude(failures, "docs/runtimes.md is true");
