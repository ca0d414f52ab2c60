import { describe, expect, it } from "vitest";
import {
  Journal,
  noFacts,
  reasonOf,
  type Recorded,
  shownParameters,
} from "../../src/journal/Journal.ts";

/** A request, of which the journal is told only what these tests look at. */
const entry = (parts: Partial<Recorded> = {}) =>
  ({
    ...{ id: 0, at: Date.UTC(2026, 0, 1), path: "/league", query: "", route: "/league" },
    ...{ endpoint: "leagues.list", params: {}, status: 200, clientId: "example-service" },
    ...{ tokenHash: undefined, scopes: [], facts: noFacts(), faults: [], isEnded: false },
    ...parts,
  }) as Recorded;

const journalOf = () => {
  const journal = new Journal(10);
  const write = (parts: Partial<Recorded> = {}) => {
    const recorded = entry(parts);
    journal.write(recorded);
    journal.end(recorded, { isWhole: true, isAnswered: true, durationMillis: 0 });
  };
  return { journal, write };
};

describe("the reason of a refusal", () => {
  const secret = "Zm9vYmFyYmF6cXV4cXV1eDEyMzQ1Njc4OTA";
  const said = (body: object, status = 400) =>
    reasonOf({ status, location: undefined, text: JSON.stringify(body) });

  it("the reason of a refusal is the service's message, from JSON or a redirect", () => {
    expect(said({ error: { code: 2, message: "No limit." } })).toBe("No limit.");
    expect(said({ error: "invalid_grant", error_description: "It is used." })).toBe("It is used.");
    expect(said({ error: "invalid_grant" })).toBe("invalid_grant");
    const location = "http://127.0.0.1/?error=access_denied&error_description=No+thanks.&state=1";
    expect(reasonOf({ status: 303, location, text: "" })).toBe("No thanks.");
  });

  it("the reason of a refusal contains no part of the request that may be a secret", () => {
    for (const message of [`No filter "${secret}".`, `Not known: ${secret}`, `"${secret}`])
      expect(said({ error: { message } })).not.toContain(secret.slice(0, 20));
    expect(said({ error: { message: 'No league "Standard".' } })).toBe('No league "Standard".');
  });

  it("the reason is null if a response is not a refusal, or has no message", () => {
    expect(said({ error: { message: "x" } }, 200)).toBeNull();
    for (const text of ["<p>no</p>", "{", "{}"])
      expect(reasonOf({ status: 503, location: undefined, text })).toBeNull();
  });
});

describe("the journal", () => {
  it("the journal shows path and query without parts that may be secret or personal", () => {
    const { journal, write } = journalOf();
    const params = { league: "Standard", stash_id: "a1b2c3d4e5" };
    write({ path: "/stash/Standard/a1b2c3d4e5", route: "/stash/:league/:stash_id", params });
    const query = "limit=5&tok3n=abc&code=x";
    write({ path: "/leagues/9f8e7d6c5b4a39281706", route: null, query });
    const [known, unknown] = journal.read();
    expect(known).toMatchObject({ path: "/stash/Standard/value#1", query: "" });
    expect(unknown).toMatchObject({ path: "/leagues/…", query: "limit=5&…=…&code=…" });
  });

  it("shownParameters keeps words of the specification, and nothing that could be a token", () => {
    const words = { realm: "console_a", league: "Standard", limit: "20" };
    const secrets = "code state access_token client_secret code_verifier name".split(" ");
    const sent = [...Object.entries(words), ...secrets.map((name) => [name, "secret"] as const)];
    expect(shownParameters(sent)).toEqual(words);
    for (const value of ["a".repeat(43), "a=b&c", ["a", "b"]])
      expect(shownParameters([["league", value]])).toEqual({});
  });
});
