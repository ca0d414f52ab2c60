/** The kill test as a program: what it is asked for, and what is left when it is killed itself. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const CHAOS = join(import.meta.dirname, "../chaos/main.ts");

it.each([
  [["--only", "a flood"], 'Nothing is done to sqlite,postgres,nats whose name holds "a flood".'],
  [["--stores", "sqlite", "--only", "SIGSTOP"], 'Nothing is done to sqlite whose name holds "SIG'],
  [["--stores", "paper"], "Nothing is done to paper"],
])("says what can be done where nothing of it was asked for: %j", async (args, sentence) => {
  const ended = promisify(execFile)(process.execPath, [CHAOS, ...args]);
  const { code, stderr } = await ended.then(
    () => expect.unreachable(),
    (cause: { readonly code: number; readonly stderr: string }) => cause,
  );
  expect([code, stderr]).toEqual([64, expect.stringContaining(sentence)]);
  expect(stderr).toContain("a lock of another program");
});

it("ends what it has started, frozen or not, when it is killed", async () => {
  const watchdog = new URL("support/watchdog.ts", import.meta.url).href;
  const program = `
    const { spawn } = await import("node:child_process");
    const { endWithUs } = await import(${JSON.stringify(watchdog)});
    const start = () => endWithUs(spawn("sleep", ["1000"]));
    const [running, frozen, over] = [start(), start(), start()];
    frozen.kill("SIGSTOP");
    over.once("exit", () => console.log(running.pid, frozen.pid)).kill();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  child.kill("SIGKILL");
  const pids = line.toString().trim().split(" ");
  expect(pids).toHaveLength(2);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

/** Whether a process is there, and no zombie that nobody has waited for. */
const isAlive = (pid: string): boolean => {
  try {
    return !/\) Z /u.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};
