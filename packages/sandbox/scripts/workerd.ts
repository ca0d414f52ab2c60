// Runs the program of runtimes/web.mjs inside workerd, which npx fetches: node scripts/workerd.ts
// The program compares the hash of a page, so the sandbox answers there with the bytes of Node.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";

const VERSION = "1.20261117.1";
const root = join(import.meta.dirname, "..");

/** The program as a worker: nothing that waits may run while a worker is loaded. */
const [, head = "", body = ""] =
  /^([\s\S]*?import [^;]+;\n)([\s\S]*)$/u.exec(
    readFileSync(join(root, "runtimes/web.mjs"), "utf8"),
  ) ?? [];
const worker = `${head.replace("@game-data/sandbox/web", join(root, "src/web.ts"))}
export default { async fetch() { ${body} return new Response("ok"); } };`;

const CONFIG = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
    compatibilityDate = "2026-11-01",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;

const folder = mkdtempSync(join(tmpdir(), "workerd-"));
try {
  const { outputFiles } = await build({
    stdin: { contents: worker, loader: "js", resolveDir: root },
    bundle: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    write: false,
  });
  writeFileSync(join(folder, "worker.mjs"), outputFiles[0]!.text);
  writeFileSync(join(folder, "config.capnp"), CONFIG);
  const args = `--yes --loglevel=error --package=workerd@${VERSION} -- workerd serve config.capnp --control-fd=1`;
  const child = spawn("npx", args.split(" "), {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  try {
    const port = await new Promise<number>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`workerd ended with ${code}`)));
      createInterface({ input: child.stdout }).on("line", (line) => {
        const event = JSON.parse(line) as { readonly event: string; readonly port: number };
        if (event.event === "listen") resolve(event.port);
      });
    });
    const response = await fetch(`http://127.0.0.1:${port}/`);
    const text = await response.text();
    if (text !== "ok") throw new Error(`workerd answered ${response.status}: ${text}`);
    console.log(`ok    workerd@${VERSION} packages/sandbox/runtimes/web.mjs`);
  } finally {
    // The group: npx leaves what it has started.
    process.kill(-child.pid!, "SIGTERM");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
