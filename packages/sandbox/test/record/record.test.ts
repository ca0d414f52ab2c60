/** Recording a deployment: what is written, what is redacted, and that it can be replayed. */
import { hash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Answer, Manifest } from "../../src/record/Manifest.ts";
import { recordCommand } from "../../src/record/command.ts";
import { startRecorder } from "../../src/record/recorder.ts";
import { open, type Tools } from "../control/harness.ts";
import { runHere } from "../core/program.ts";
import { recordedServer } from "./deployment.ts";

const folder = mkdtempSync(join(tmpdir(), "record-"));
let sandbox: Tools;
let token: string;
let service: string;
let profile: { readonly name: string };
let characters: ReadonlyArray<{ readonly id: string; readonly name: string }>;
let refused: Response;
let leagues: Response;
const lines: Array<string> = [];

const manifest = (): ReadonlyArray<Answer> =>
  (JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest).answers;
const get = (url: string, path: string, bearer: string) =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${bearer}` } });

const pages: Array<any> = [];

beforeAll(async () => {
  sandbox = await open({ world: { streamPageSize: 20, streamHistoryPages: 2 } });
  const scopes = ["account:profile", "account:characters", "account:stashes"];
  token = await sandbox.tokenOf("example-web", scopes, "Emberlyn#4071");
  service = await sandbox.serviceToken();
  const recorder = await startRecorder({
    upstream: sandbox.baseUrl,
    folder,
    onAnswer: (line) => lines.push(line),
  });
  const through = async (path: string, bearer: string) => get(recorder.url, path, bearer);
  const read = async (path: string, bearer: string): Promise<any> =>
    (await through(path, bearer)).json();
  profile = await read("/profile", token);
  ({ characters } = await read("/character", token));
  await through(`/character/${encodeURIComponent(characters[0]!.name)}`, token);
  for (let id = "", count = 0; count < 3; count++) {
    pages.push(await read(`/public-stash-tabs${id}`, service));
    id = `?id=${pages.at(-1).next_change_id}`;
  }
  refused = await through("/profile", "nobody");
  leagues = await through("/league", service);
  await recorder.close();
});

afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

describe("a recording with an OAuth server", () => {
  const out = mkdtempSync(join(tmpdir(), "record-oauth-"));
  afterAll(() => rmSync(out, { recursive: true }));

  it("passes exchanges through, sends browsers to the deployment, and writes neither", async () => {
    const told: Array<string> = [];
    const recorder = await startRecorder({
      upstream: sandbox.baseUrl,
      authUpstream: `${sandbox.authUrl}/`,
      folder: out,
      onAnswer: (line) => told.push(line),
    });
    const client = sandbox.clients.find(({ clientId }) => clientId === "example-service")!;
    const exchange = (secret: string) =>
      fetch(`${recorder.authUrl}/oauth/token`, {
        method: "POST",
        body: new URLSearchParams({
          ...{ grant_type: "client_credentials", scope: "service:leagues" },
          ...{ client_id: client.clientId, client_secret: secret },
        }),
      });
    const granted = await exchange(client.clientSecret!);
    const { access_token: issued } = (await granted.json()) as { readonly access_token: string };
    expect(granted.status).toBe(200);
    expect((await exchange("wrong")).status).toBe(401);
    expect((await get(recorder.url, "/league", issued)).status).toBe(200);
    const query = "?client_id=example-desktop&state=s3cret-state";
    const page = await fetch(`${recorder.authUrl}/oauth/authorize${query}`, { redirect: "manual" });
    expect(page.status).toBe(302);
    expect(page.headers.get("location")).toBe(`${sandbox.authUrl}/oauth/authorize${query}`);
    await recorder.close();
    expect(told).toEqual([
      "POST /oauth/token: 200, not written",
      "POST /oauth/token: 401, not written",
      expect.stringMatching(/^00001-leagues\.list\.json: /u),
      "GET /oauth/authorize: sent to the deployment, not written",
    ]);
    const written = readdirSync(out).map((file) => readFileSync(join(out, file), "utf8"));
    expect(written).toHaveLength(2);
    for (const secret of [issued, client.clientSecret!, "s3cret-state"])
      for (const text of [...written, ...told]) expect(text).not.toContain(secret);
  });
});

describe("a recording", () => {
  it("is made of answers that pass through untouched, with their status and headers", () => {
    expect(profile.name).toBe("Emberlyn#4071");
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toContain("invalid_token");
    expect(leagues.headers.get("x-rate-limit-policy")).toBe("league-request-limit");
  });

  it("has a file and a line of the manifest for each whole answer, and for no other", () => {
    const stream = Array<string>(3).fill("publicStashTabs.page");
    const account = ["profile.get", "characters.list", "characters.get"];
    const asked = [...account, ...stream, "leagues.list"];
    expect(manifest().map(({ endpoint }) => endpoint)).toEqual(asked);
    expect(readdirSync(folder)).toHaveLength(8);
    for (const { file } of manifest())
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it("holds no name of an account or a character, and no id", () => {
    const everything = readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), "utf8"))
      .join("\n");
    const hidden = [
      ...sandbox.accounts.flatMap(({ name, uuid }) => [name, uuid]),
      ...characters.flatMap(({ id, name }) => [id, name]),
      ...pages.map(({ next_change_id }) => next_change_id),
      ...pages.flatMap(({ stashes }) => stashes.flatMap((one: any) => [one.id, one.accountName])),
      token,
      service,
    ];
    expect(hidden.length).toBeGreaterThan(50);
    expect(hidden.filter((secret) => secret !== null && everything.includes(secret))).toEqual([]);
    expect(lines[0]).toBe("00001-profile.get.json: 3 redacted");
    expect(lines.filter((line) => line.startsWith("left out"))).toEqual([]);
  });

  it("is replayed with the chain of the stream whole", async () => {
    const replay = await open({ replay: folder, seed: 2 });
    const bearer = await replay.serviceToken();
    let id: string | undefined;
    for (const original of pages) {
      const path = `/public-stash-tabs${id === undefined ? "" : `?id=${id}`}`;
      const page: any = await (await replay.get(path, bearer)).json();
      expect(page.stashes).toHaveLength(original.stashes.length);
      expect(page.next_change_id).toMatch(/^[\d-]+$/u);
      id = page.next_change_id;
    }
    const all = { served: 7, leftOut: [], unrecorded: {} };
    expect(await replay.ask("GET", "/replay")).toEqual(all);
    await replay.close();
  });

  it("refuses what was not recorded and lists it, or lets the world answer", async () => {
    const strict = await open({ replay: folder });
    const bearer = await strict.serviceToken();
    expect((await strict.get("/league?type=event", bearer)).status).toBe(404);
    expect((await strict.get("/league?realm=pc", bearer)).status).toBe(200);
    expect(await strict.ask("GET", "/replay")).toMatchObject({
      unrecorded: { "leagues.list?type=event": 1 },
    });
    await strict.close();
    const mixed = await open({ replay: folder, replayMissing: "world" });
    const path = "/league?type=event";
    expect((await mixed.get(path, await mixed.serviceToken())).status).toBe(200);
    await mixed.close();
  });

  it("names every file that is left out, and why", async () => {
    const [first, second] = manifest();
    const path = join(folder, first!.file);
    const before = readFileSync(path, "utf8");
    writeFileSync(path, before.replace("{", "{ "));
    const added = [
      { ...second!, file: "gone.json" },
      { ...second!, file: "../outside.json" },
      { ...second!, endpoint: "nobody.knows" },
      { file: "short.json" },
      { ...second!, status: 999 },
      { ...second!, file: "text.json", sha256: hash("sha256", "not json", "hex") },
      null,
    ];
    const answers = [...manifest(), ...added];
    writeFileSync(join(folder, "manifest.json"), JSON.stringify({ version: 2, answers }));
    writeFileSync(join(folder, "text.json"), "not json");
    const replay = await open({ replay: folder });
    expect(await replay.ask("GET", "/replay")).toEqual({
      served: 6,
      leftOut: [
        { file: first!.file, reason: "it has changed since it was recorded" },
        { file: "gone.json", reason: "the manifest names it, and it cannot be read" },
        { file: "../outside.json", reason: "it lies outside of the folder" },
        { file: second!.file, reason: "the manifest names an endpoint that there is not" },
        { file: "short.json", reason: "its line in the manifest is not whole" },
        { file: second!.file, reason: "it is no answer 200" },
        { file: "text.json", reason: "it is not JSON" },
        { file: "answers/13", reason: "its line in the manifest is not whole" },
      ],
      unrecorded: {},
    });
    await replay.close();
  });

  it.each([
    ["no manifest", undefined, "is no recording: ENOENT"],
    ["a manifest that is no JSON", "{", "JSON"],
    ["a manifest of another version", '[{"file":"1.json"}]', "is not of version 2"],
    ["a manifest without answers", '{"version":2}', "is not of version 2"],
    ["null", "null", "is not of version 2"],
  ])("does not start over a folder with %s", async (_, text, reason) => {
    const other = mkdtempSync(join(tmpdir(), "record-none-"));
    if (text !== undefined) writeFileSync(join(other, "manifest.json"), text);
    await expect(open({ replay: other })).rejects.toThrow(reason);
    rmSync(other, { recursive: true });
  });
});

describe("a recorder", () => {
  it("ends while the deployment has not answered, and writes over no recording", async () => {
    await using silent = await recordedServer(() => {});
    const { upstream } = silent;
    const same = startRecorder({ upstream, folder: silent.folder });
    await expect(same).rejects.toThrow("holds a recording");
    const asked = fetch(`${silent.url}/league`).then(({ status }) => status);
    await once(silent.server, "request");
    await silent.close();
    expect(readdirSync(silent.folder)).toEqual([]);
    expect(await asked).toBe(502);
    await expect(startRecorder({ upstream, folder })).rejects.toThrow("holds a recording");
    const both = await Promise.allSettled(
      [1, 2].map(() => startRecorder({ upstream, folder: silent.folder })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    for (const one of both) if (one.status === "fulfilled") await one.value.close();
  });
});

it.each([
  [[], "--upstream URL is the address"],
  [["--upstream", "http://api.example.com", "--out", "x"], "--upstream has to be https"],
  [["--upstream", "http://127.0.0.1:1"], "--out FOLDER is where"],
  [["--upstream", "http://127.0.0.1:1", "--auth-url", "http://a.example"], "--auth-url has to be"],
  [["--upstream", "https://api.example.com", "--out", "x", "--no-redact"], "--no-redact is for"],
])("game-data-sandbox record %j says what it cannot do", async (flags, says) => {
  const { code, stderr } = await runHere(recordCommand, "record", ...flags);
  expect([code, stderr]).toEqual([64, expect.stringContaining(says)]);
});
