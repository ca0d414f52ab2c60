/**
 * Over every `GET` of the data API: record, replay, record gives the same bytes; the answers stay
 * valid; and of two worlds that differ in persons alone no differing string survives.
 */
import { bodies } from "@game-data/contract/results";
import { requestTarget, type RouteName, routes } from "@game-data/contract/routes";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { tour } from "../../scripts/worldTour.ts";
import type { Answer, Manifest } from "../../src/record/Manifest.ts";
import { Redaction } from "../../src/record/Redaction.ts";
import { startRecorder } from "../../src/record/recorder.ts";
import { open, type Tools } from "../control/harness.ts";
import { ACCOUNT_SCOPES, SERVICE_SCOPES } from "../data/harness.ts";

const scratch = mkdtempSync(join(tmpdir(), "record-fixed-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const READING = Object.entries(routes).filter(([, { method }]) => method === "GET");
const WORLD = { streamPageSize: 12, streamHistoryPages: 1, streamStashes: 40, ladderSize: 40 };
const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

type Ask = (endpoint: RouteName, path: string) => Promise<any>;

/** Asks a sandbox, or a recorder in front of it. */
const askerOf = async (sandbox: Tools, url = sandbox.baseUrl): Promise<Ask> => {
  const user = await sandbox.tokenOf("example-web", ACCOUNT_SCOPES, sandbox.accounts[0]!.name);
  const service = await sandbox.tokenOf("example-service", SERVICE_SCOPES);
  return async (endpoint, path) => {
    const { scopes } = routes[endpoint];
    const token = scopes.some((scope) => scope.startsWith("service:")) ? service : user;
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    const text = await response.text();
    expect([path, response.status, text.slice(0, 80)]).toEqual([path, 200, expect.anything()]);
    return JSON.parse(text);
  };
};

/** The hour that is not complete: it leads to itself, and stays the answer to its own request. */
const NOW = Date.parse("2026-03-01T12:00:00Z") / 1000;

/** Asks every endpoint that reads. */
const walkAll = async (ask: Ask): Promise<void> => {
  await tour(ask, { realms: ["pc", "game2"], pages: 2, most: 3 });
  await ask("currencyExchange.page", requestTarget("currencyExchange.page", { id: NOW }));
};

const answersIn = (folder: string): ReadonlyArray<Answer> =>
  (JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")) as Manifest).answers;

/** The bytes of a recording without its instants. */
const contentOf = (folder: string) => ({
  answers: answersIn(folder).map((answer) => ({ ...answer, at: "" })),
  files: Object.fromEntries(
    readdirSync(folder)
      .filter((file) => file !== "manifest.json")
      .map((file) => [file, readFileSync(join(folder, file), "utf8")]),
  ),
});

/** Records what `run` asks. Returns the folder. */
const record = async (
  sandbox: Tools,
  name: string,
  isRedacted: boolean,
  run: (ask: Ask) => Promise<void>,
): Promise<string> => {
  const folder = join(scratch, name);
  const recorder = await startRecorder({ upstream: sandbox.baseUrl, folder, isRedacted });
  await run(await askerOf(sandbox, recorder.url));
  await recorder.close();
  return folder;
};

/** Replays a folder and records each of its requests again, as they are. */
const again = async (folder: string, name: string): Promise<string> => {
  const replay = await open({ replay: folder, seed: 99 });
  const copy = await record(replay, name, false, async (ask) => {
    for (const { endpoint, parameters } of answersIn(folder)) {
      const asked = endpoint as RouteName;
      await ask(asked, requestTarget(asked, parameters as never));
    }
  });
  const count = answersIn(folder).length;
  const told = await replay.ask("GET", "/replay");
  expect(told).toEqual({ served: count, leftOut: [], unrecorded: {} });
  await replay.close();
  return copy;
};

describe("record → replay → record", () => {
  it.each(SEEDS)("is a fixed point over every GET endpoint, seed %i", async (seed) => {
    const sandbox = await open({ seed, world: WORLD });
    const first = await record(sandbox, `${seed}-1`, true, walkAll);
    const second = await again(first, `${seed}-2`);
    await sandbox.close();
    expect(contentOf(second)).toEqual(contentOf(first));
    const answers = answersIn(first);
    expect(new Set(answers.map(({ endpoint }) => endpoint))).toEqual(
      new Set(READING.map(([name]) => name)),
    );
    for (const { endpoint, file } of answers) {
      const { results } = routes[endpoint as RouteName] as { results: Record<string, string> };
      const value: unknown = JSON.parse(readFileSync(join(first, file), "utf8"));
      const checked = bodies[results["200"] as keyof typeof bodies]["~standard"].validate(value);
      expect([file, (checked as { issues?: unknown }).issues]).toEqual([file, undefined]);
    }
  });
});

/** All strings of a value. */
const stringsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
};

/** The same answers of other persons: ids have other digits, and names are spelled backwards. */
const withOtherPersons = (values: ReadonlyArray<unknown>, names: ReadonlyArray<string>) => {
  const other = new Map(
    names.map((name) => [name, `Q${name.replace(/#.*/u, "").split("").toReversed().join("")}`]),
  );
  const id = /^(?:[\da-f]{10}|[\da-f]{64}|[\da-f]{8}(?:-[\da-f]{4,12}){4})$/u;
  return JSON.parse(JSON.stringify(values), function (this: object, key, value: unknown) {
    if (typeof value !== "string") return value;
    if (value.startsWith("~price")) return value;
    // Tabs and rare items share a lexicon: only those names differ that persons gave.
    if (key === "stash" || (key === "name" && "metadata" in this && "type" in this))
      return `Q${value}`;
    if (id.test(value)) return value.replaceAll(/[\da-f]/gu, (digit) => DIGITS[digit]!);
    return other.get(value) ?? value;
  }) as ReadonlyArray<unknown>;
};

const DIGITS = Object.fromEntries(
  Array.from("0123456789abcdef", (digit, index) => [digit, "fedcba9876543210"[index]!]),
);

describe("two worlds that differ in persons alone", () => {
  it.each(SEEDS)("leave no differing string in a recording, seed %i", async (seed) => {
    const sandbox = await open({ seed, world: WORLD });
    const ask = await askerOf(sandbox);
    const asked: Array<readonly [RouteName, any]> = [];
    await walkAll(async (endpoint, path) => {
      const value = await ask(endpoint, path);
      asked.push([endpoint, value]);
      return value;
    });
    await sandbox.close();
    const values = asked.map(([, value]) => value as unknown);
    const named = JSON.stringify(values).matchAll(
      /"(?:accountName|account|guild|character|livestream)":(?:\{[^{}]*?"name":)?"([^"]+)"/gu,
    );
    const characters = asked.flatMap(([name, value]) =>
      name === "characters.list" ? value.characters.map((one: any) => one.name as string) : [],
    );
    const persons = [...sandbox.accounts.map(({ name }) => name), ...characters];
    const others = withOtherPersons(values, [...persons, ...[...named].map(([, name]) => name!)]);
    const kept = new Set(stringsIn(others));
    const differing = new Set(stringsIn(values).filter((text) => !kept.has(text)));
    expect(differing.size).toBeGreaterThan(100);
    const redaction = new Redaction(new Uint8Array(32).fill(seed));
    for (const [endpoint, value] of asked) {
      const redacted = redaction.body(endpoint, value);
      if ("reason" in redacted) throw new Error(`${endpoint}: ${redacted.reason}`);
      const survivors = stringsIn(redacted.value).filter((text) => differing.has(text));
      expect([endpoint, survivors]).toEqual([endpoint, []]);
    }
  });
});
