/**
 * The part of the story that only reads, against a service that somebody else runs: a sandbox with
 * words of its own.
 */
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runTour } from "./support/runTour.ts";

const WORDS = { console_a: "box", console_b: "station", game2: "sequel", livestream: "channel" };
const folder = mkdtempSync(join(tmpdir(), "game-data-tour-test-"));
const wordsFile = join(folder, "words.json");
let sandbox: RunningSandbox;

beforeAll(async () => {
  await writeFile(wordsFile, JSON.stringify(WORDS));
  sandbox = await startSandbox({ words: WORDS });
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (clientId: string) => [
  ...["--auth-url", sandbox.authUrl, "--base-url", sandbox.baseUrl],
  ...["--client-id", clientId, "--words", wordsFile],
];

const secretOf = (id: string) =>
  sandbox.clients.find(({ clientId }) => clientId === id)?.clientSecret ?? "";

it("acts for the user who signs in through the browser", async () => {
  let isAnswered = false;
  const { err, exit, out } = await runTour(at("example-desktop"), {
    watch: (text) => {
      const url = /^ +(http\S+\/oauth\/authorize\?\S+)\n/mu.exec(text)?.[1];
      if (url === undefined || isAnswered) return;
      isAnswered = true;
      void sandbox.consent(url).then((redirect) => fetch(redirect));
    },
  });
  expect(err).toBe("");
  expect(out).toMatch(/stream +emberlyn_live/u);
  expect(out).toContain("14 characters");
  expect(out).toContain("all 33 listed tabs of Lanternway");
  expect(out).toContain("skipped: it would write");
  expect(out).toContain("skipped: the token lacks oauth:revoke");
  expect(out).toContain("skipped: it needs a client with a secret");
  expect(out).toMatch(/5 steps passed, 7 skipped/u);
  expect(exit).toBe(0);
});

it("acts for the application with its secret, and takes five pages of the stream", async () => {
  const { err, exit, out } = await runTour(at("example-service"), {
    env: { GAME_DATA_CLIENT_SECRET: secretOf("example-service") },
  });
  expect(err).toBe("");
  expect(out).toContain("4 of 4 scopes granted");
  expect(out).toMatch(/the first [5-9] pages/u);
  expect(out).toMatch(/5 steps passed, 7 skipped/u);
  expect(exit).toBe(0);
});

it("fails for a wrong secret, without printing it", async () => {
  const { err, exit, out } = await runTour(at("example-service"), {
    env: { GAME_DATA_CLIENT_SECRET: "not-the-secret" },
  });
  expect(err).toContain("The server rejected the client (error invalid_client");
  expect(err + out).not.toContain("not-the-secret");
  expect(exit).toBe(1);
});

it("fails for an address that does not respond, before it shows the sign-in page", async () => {
  const dead = await deadAddress();
  const { err, exit, out } = await runTour([
    ...["--auth-url", dead, "--base-url", dead, "--client-id", "example-desktop"],
  ]);
  expect(err).toContain(`${dead} does not respond`);
  expect(out).not.toContain("/oauth/authorize");
  expect(exit).toBe(1);
});

const deadAddress = () =>
  new Promise<string>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(`http://127.0.0.1:${port}`));
    });
  });
