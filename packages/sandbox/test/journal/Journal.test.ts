import { describe, expect, it } from "@effect/vitest";
import { Effect } from "effect";
import { Journal, shownParameters } from "../../src/journal/Journal.ts";

const entry = (parts: Partial<Parameters<Journal["Service"]["write"]>[0]> = {}) => ({
  at: Date.UTC(2026, 0, 1),
  listener: "data" as const,
  method: "GET",
  route: "/league",
  endpoint: "leagues.list",
  parameters: {},
  status: 200,
  durationMillis: 1,
  clientId: "example-service",
  account: null,
  policy: null,
  limited: false,
  faults: [],
  ...parts,
});

const journalOf = (capacity?: number) =>
  Effect.runSync(Effect.provide(Effect.service(Journal), Journal.layer(capacity)));

describe("the journal", () => {
  it("keeps the newest requests and lets older ones go", () => {
    const journal = journalOf(10);
    for (let nth = 0; nth < 25; nth++) journal.write(entry());
    const ids = Effect.runSync(journal.read()).map(({ id }) => id);
    expect(ids).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25]);
  });

  it("answers what is asked for", () => {
    const journal = journalOf();
    journal.write(entry());
    journal.write(entry({ endpoint: "leagues.ladder", status: 429 }));
    journal.write(entry({ endpoint: "profile.get", clientId: "example-web" }));
    const ids = (filter: Parameters<typeof journal.read>[0]) =>
      Effect.runSync(journal.read(filter)).map(({ id }) => id);
    expect(ids({ since: 1 })).toEqual([2, 3]);
    expect(ids({ limit: 1 })).toEqual([3]);
    expect(ids({ limit: 0 })).toEqual([]);
    expect(ids({ endpoint: "leagues" })).toEqual([1, 2]);
    expect(ids({ endpoint: "leagues.ladder" })).toEqual([2]);
    expect(ids({ clientId: "example-web" })).toEqual([3]);
    expect(ids({ status: 429 })).toEqual([2]);
    Effect.runSync(journal.clear);
    expect(ids({})).toEqual([]);
  });

  it("writes instants as the virtual clock had them", () => {
    const journal = journalOf();
    journal.write(entry());
    expect(Effect.runSync(journal.read())[0]?.at).toBe("2026-01-01T00:00:00.000Z");
  });

  it("shows words of the specification and no other parameter", () => {
    expect(
      shownParameters([
        ["realm", "console_a"],
        ["league", "Standard"],
        ["limit", "20"],
        ["code", "secret-code"],
        ["state", "secret-state"],
        ["access_token", "secret-token"],
        ["client_secret", "secret"],
        ["code_verifier", "secret-verifier"],
        ["name", "MyCharacter"],
      ]),
    ).toEqual({ realm: "console_a", league: "Standard", limit: "20" });
  });

  it("shows no value that could be a token in the wrong place", () => {
    const token = "a".repeat(43);
    expect(shownParameters([["league", token]])).toEqual({});
    expect(shownParameters([["league", "a=b&c"]])).toEqual({});
    expect(shownParameters([["league", ["a", "b"]]])).toEqual({});
  });
});
