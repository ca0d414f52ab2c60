/**
 * Every document that the control plane takes, with one typing error at a time at every depth: each
 * is refused with the place, and with the word that was meant.
 */
import { createSandboxHandler } from "@game-data/sandbox";
import { afterAll, describe, expect, it } from "vitest";
import { wordsOf } from "../../src/internal/wordsOf.ts";
import { NOON, toolsFor } from "./harness.ts";

const sandbox = toolsFor(await createSandboxHandler({ now: NOON }));
afterAll(() => sandbox.close());

const account = sandbox.accounts[0]!.name;
const snapshot = await sandbox.ask<object>("POST", "/snapshot");
const { stashes } = await sandbox.ask<{ stashes: ReadonlyArray<{ readonly id: string }> }>(
  "GET",
  `/world?path=/stash/Standard&account=${encodeURIComponent(account)}`,
);

interface Sample {
  /** Method and template. */
  readonly address: string;
  readonly body: object;
  /** Pointers whose member names, and everything below them, are anybody's own. */
  readonly free?: RegExp;
  /** Pointers whose text is anybody's own. */
  readonly texts?: RegExp;
}

const rule = {
  id: "mine",
  match: {
    endpoint: "leagues.ladder",
    route: "/league/:league/ladder",
    path: "/profile",
    method: "GET",
    clientId: "example-web",
    grantType: "refresh_token",
    account,
  },
  when: { nth: [1, 2], count: 3, from: NOON, until: "2027-03-01T12:00:00Z", ttlSeconds: 5 },
  fault: { kind: "status", status: 503, retryAfter: { date: 5 }, headers: { "x-one": "1" } },
};
const item = "a".repeat(64);
/** What stands in the place of the words of a template. */
const words: Readonly<Record<string, string>> = {
  account: encodeURIComponent(account),
  realm: "pc",
  name: "Mine",
  league: "Standard",
  "leagues id": "Mine",
  "stashes id": stashes[0]!.id,
  "items id": item,
};
const addressed = ({ address }: Sample): readonly [method: string, path: string] => {
  const [method = "", template = ""] = address.split(" ");
  const things = template.split("/").filter((part) => /^[a-z]+$/u.test(part));
  const path = template.replaceAll(
    /\{(\w+)\}/gu,
    (_, name: string) => words[name] ?? words[`${things.at(-1)} ${name}`]!,
  );
  return [method, path];
};

const SAMPLES: ReadonlyArray<Sample> = [
  { address: "POST /faults", body: rule, free: /headers/u, texts: /^\/id$/u },
  { address: "POST /faults", body: [rule, rule], free: /headers/u, texts: /\/id$/u },
  {
    address: "POST /faults",
    body: { fault: { kind: "changeId", mode: "set", id: "1" } },
    texts: /id$/u,
  },
  { address: "POST /clock", body: { set: NOON, advance: "31 seconds" } },
  { address: "POST /clock", body: { beforeHour: "3 minutes", freeze: true, reset: true } },
  {
    address: "POST /tokens",
    body: { clientId: "example-web", account, scopes: ["account:profile"] },
  },
  {
    address: "POST /authorize",
    body: { url: "https://x.example/oauth/authorize?client_id=example-web", account, deny: true },
    texts: /url/u,
  },
  {
    address: "POST /clients",
    body: {
      clientId: "mine",
      name: "Mine",
      kind: "confidential",
      clientSecret: "s",
      redirectUris: ["https://app.example.com/back"],
      domains: ["example.com"],
      scopes: ["account:profile"],
      grants: ["refresh_token"],
      owner: account,
      refreshTokens: true,
    },
    texts: /clientId|name|clientSecret|domains|redirectUris|owner/u,
  },
  { address: "PUT /policies", body: { profile: "generous" } },
  {
    address: "PUT /policies",
    body: {
      enabled: true,
      hiddenBuckets: { shortSeconds: 1, longSeconds: 5, longFromSeconds: 60 },
      policies: { "policy-one": { Ip: "1:1:1" } },
      endpoints: { "leagues.ladder": "policy-one" },
    },
    free: /^\/policies\/[^/]*$/u,
    texts: /Ip$/u,
  },
  {
    address: "POST /scenarios",
    body: {
      name: "gone",
      setup: [{ method: "POST", path: "/faults", body: { fault: { kind: "hang" } } }],
      steps: [{ after: { endpoint: "leagues.list", count: 1 }, do: [] }],
    },
    texts: /path$/u,
  },
  {
    address: "POST /verify",
    body: { match: rule.match, status: 200, exactly: 1, atLeast: 1, atMost: 1 },
  },
  {
    address: "POST /restore",
    body: { ...snapshot, faults: [{ id: "a", rule, addedAt: NOON, seen: 1, fired: 0 }] },
    free: /^\/(?:store|rates)\/|headers/u,
    texts: /\/id$/u,
  },
];

interface Typo {
  readonly pointer: string;
  /** The word that was meant; undefined where a value has the wrong type. */
  readonly meant: string | undefined;
  readonly body: unknown;
}

/** A copy with another value at a path; `rename` moves it to another name. */
const changed = (
  value: unknown,
  [head, ...rest]: ReadonlyArray<string>,
  to: unknown,
  rename?: string,
): unknown => {
  if (head === undefined) return to;
  if (Array.isArray(value))
    return value.map((each, index) =>
      String(index) === head ? changed(each, rest, to, rename) : each,
    );
  const isHere = rest.length === 0 && rename !== undefined;
  return Object.fromEntries(
    Object.entries(value as object).map(([name, member]) =>
      name !== head
        ? [name, member]
        : isHere
          ? [rename, member]
          : [name, changed(member, rest, to, rename)],
    ),
  );
};

const pointerOf = (path: ReadonlyArray<string>): string =>
  path.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** One letter too many at the end: never another word of the plane. */
const misspelt = (word: string): string => `${word}x`;

/** Every typing error of a document: a misspelt name, a misspelt word, a value of another type. */
const typosOf = ({ body, free = /^$/u, texts = /^$/u }: Sample): ReadonlyArray<Typo> => {
  const typos: Array<Typo> = [];
  const add = (path: ReadonlyArray<string>, meant: string | undefined, typo: unknown) =>
    typos.push({ pointer: pointerOf(path), meant, body: typo });
  const visit = (value: unknown, path: ReadonlyArray<string>): void => {
    if (path.length > 0 && free.test(`${pointerOf(path)}/`)) return;
    if (path.length > 0) add(path, undefined, changed(body, path, { wrong: [true] }));
    if (typeof value === "string" && !texts.test(pointerOf(path)))
      add(path, value, changed(body, path, misspelt(value)));
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const here = [...path, name];
      if (!Array.isArray(value) && !free.test(pointerOf(here)))
        add([...path, misspelt(name)], name, changed(body, here, member, misspelt(name)));
      visit(member, here);
    }
  };
  visit(body, []);
  return typos;
};

/** Instants, and ids that are made of digits alone, have no neighbour to name. */
const UNNAMED = /^(?:\d{4}-\d\d-|[0-9a-f]{10,}$)/u;

describe("a typing error", () => {
  it.each(SAMPLES.map((sample) => [sample.address, sample] as const))(
    "anywhere in %s is refused with its place and what was meant",
    async (_, sample) => {
      const typos = typosOf(sample);
      const [method, path] = addressed(sample);
      expect(typos.length).toBeGreaterThan(1);
      for (const { body, meant, pointer } of typos) {
        const response = await sandbox.control(method, path, body);
        const { issues = [], reason } = (await response.json()) as {
          readonly issues?: ReadonlyArray<{ readonly pointer: string; readonly nearest?: string }>;
          readonly reason?: string;
        };
        expect.soft([pointer, response.status, reason]).toEqual([pointer, 400, reason]);
        const found = issues.filter((issue) => issue.pointer.startsWith(pointer));
        expect.soft([pointer, found.length > 0, issues]).toEqual([pointer, true, issues]);
        if (meant !== undefined && !UNNAMED.test(meant))
          expect.soft([pointer, found[0]?.nearest]).toEqual([pointer, meant]);
      }
    },
  );

  it("is looked for in every document that the plane takes", async () => {
    const { paths } = await sandbox.ask<{
      paths: Readonly<Record<string, Readonly<Record<string, { readonly requestBody?: unknown }>>>>;
    }>("GET", "/openapi.json");
    const taken = Object.entries(paths)
      .filter(([, methods]) => Object.values(methods).some(({ requestBody }) => requestBody))
      .map(([path]) => path.replace("/control", ""));
    const tried = SAMPLES.map(({ address }) => address.split(" ")[1]!);
    expect([...new Set(tried)].toSorted()).toEqual([...new Set(taken)].toSorted());
  });

  it("in a path is none where a request can begin so", async () => {
    for (const path of wordsOf(
      "/ /st /stash/ /stash/Standard/a /league/console_b /oauth/token /my/",
    )) {
      const rules = { match: { path }, fault: { kind: "delay", milliseconds: 0 } };
      expect([path, (await sandbox.control("POST", "/faults", rules)).status]).toEqual([path, 200]);
    }
    await sandbox.ask("DELETE", "/faults");
    await sandbox.get("/profile");
    await sandbox.ask("POST", "/verify", { match: { path: "/pro" }, exactly: 1 });
  });
});
