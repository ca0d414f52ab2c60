/** A client in a process of its own, which no test framework keeps alive. */
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

const entry = (name: string) => JSON.stringify(new URL(`../src/${name}.ts`, import.meta.url));

/** The first response requests a wait, in which only the client's timers keep the process alive. */
const PROGRAM = `
  import { createGameApi } from ${entry("promise")};
  import { fixtureHttp } from ${entry("testing")};
  const api = createGameApi({
    baseUrl: "https://api.example",
    userAgent: { clientId: "x", version: "1", contact: "x@example.com" },
    http: fixtureHttp({ "profile.get": [
      { status: 503, headers: { "retry-after": "1" } },
      { body: { uuid: "u", name: "n" } },
    ] }),
  });
  console.log((await api.profile.get()).name);
`;

it("a client that is not closed keeps the program running only while a call waits", () => {
  const args = ["--input-type=module", "--eval", PROGRAM];
  const { status, stdout } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    timeout: 60_000,
  });
  expect([status, stdout]).toEqual([0, "n\n"]);
});
