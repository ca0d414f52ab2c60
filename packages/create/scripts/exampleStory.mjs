// Tries an example as a newcomer would: `create` makes the project, then install, tests, types, and
// `dev` with a user who agrees on the consent page. Throws when one of them ends otherwise than by 0,
// or prints something else than the README shows.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../support/src/Network.ts";

const LIMIT_MS = 600_000;

/** The lines under "Output" of a README. */
export const outputOf = (readme) =>
  /## Output\n\n```text\n([\s\S]*?)\n```/.exec(readme)?.[1].split("\n") ?? [];

/** The user: agrees where an address of the consent page is printed, and stops a server. */
const answer = async (printed, { control, stop }) => {
  const [consent] = /http\S+\/oauth\/authorize\?\S+/.exec(printed) ?? [];
  if (consent !== undefined) {
    const { accounts } = await (await fetch(`${control}/accounts`)).json();
    const response = await fetch(`${control}/authorize`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url: consent, account: accounts[0].name }),
    });
    await fetch((await response.json()).redirect);
  }
  const [, page] = /^Open (http\S+)$/m.exec(printed) ?? [];
  if (page === undefined) return consent !== undefined;
  const text = await (await fetch(page)).text();
  if (!text.includes("Sign in")) throw new Error(`the page has no sign-in: ${text}`);
  stop();
  return true;
};

/** Runs `npm run dev` of a project. Gives what it printed. */
export const runDev = async (folder, [command, ...args], env) => {
  const port = await freePort();
  const child = spawn(command, args, {
    cwd: folder,
    // A group of its own, which gets Ctrl-C as a terminal sends it.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      ...env,
      CI: "1",
      // The world of an instant, so that a README can show what is printed.
      GAME_DATA_SANDBOX_NOW: "2026-03-01T12:00:00Z",
      GAME_DATA_SANDBOX_PORT: `${port}`,
      GAME_DATA_SANDBOX_SEED: "1",
      GAME_DATA_SANDBOX_SINGLE_PORT: "1",
      PORT: `${await freePort()}`,
    },
  });
  let stopped = false;
  const user = {
    control: `http://127.0.0.1:${port}/control`,
    stop: () => {
      stopped = true;
      process.kill(-child.pid, "SIGINT");
    },
  };
  let printed = "";
  let answered;
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      printed += chunk;
      const isAsked = /\/oauth\/authorize\?\S+\n|^Open http\S+\n/m.test(printed);
      if (isAsked) answered ??= answer(printed, user);
    });
  const limit = setTimeout(() => process.kill(-child.pid, "SIGKILL"), LIMIT_MS);
  const [code, signal] = await once(child, "close");
  clearTimeout(limit);
  await answered;
  const isGood = code === 0 || (stopped && (code === 130 || signal === "SIGINT"));
  if (!isGood) throw Object.assign(new Error(`dev: ${code ?? signal}`), { stdout: printed });
  return printed.replaceAll(`${/Open http\S+:(\d+)/.exec(printed)?.[1]}`, "3000");
};

/** Columns of tables are as wide as their widest cell. */
const squeeze = (text) => text.replaceAll(/ +/g, " ");

/** Fails if the program of `folder` did not print what its README says. */
export const checkOutput = (folder, printed) => {
  const lines = outputOf(readFileSync(join(folder, "README.md"), "utf8"));
  if (lines.length === 0) throw new Error("the README shows no output");
  const missing = lines.filter((line) => !squeeze(printed).includes(squeeze(line).trim()));
  if (missing.length > 0)
    throw Object.assign(new Error(`not printed: ${missing.join("\n")}`), { stdout: printed });
};
