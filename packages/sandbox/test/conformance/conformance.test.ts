/** `examine` against the sandbox itself, and against answers with planted mistakes. */
import { Effect } from "effect";
import { afterAll, describe, expect, it } from "vitest";
import type { Scope } from "@game-data/contract/Scope";
import { examine } from "../../src/conformance/index.ts";
import { startSandbox } from "../../src/index.ts";

const sandbox = await startSandbox({ world: { streamPageSize: 5, streamHistoryPages: 2 } });
afterAll(() => sandbox.close());

// A mistake is planted in a body of any shape
type Body = Record<string, any>;

/** Examines the sandbox through another `fetch`. */
const examinedBy = (send: (request: Request) => Promise<Response>) => {
  const tokenFor = (scopes: ReadonlyArray<Scope>) => sandbox.token({ scopes });
  const deployment = { baseUrl: sandbox.baseUrl, tokenFor, fetch: send };
  return Effect.runPromise(examine(deployment, { league: "Standard" }));
};

type Plant = (body: Body, url: string) => void;

/** What is wrong, in which answers, and where `examine` has to find it. */
const PLANTED: ReadonlyArray<[string, RegExp, endpoint: string, pointer: string, Plant]> = [
  [
    "a reversed ladder",
    /^\/league\/Standard\/ladder(?!.*sort=xp)/u,
    "leagues.ladder",
    "/league/entries/1/rank",
    ({ league }) => (league.entries = league.entries.toReversed()),
  ],
  [
    "a reversed event ladder",
    /^\/league\/Standard\/event-ladder$/u,
    "leagues.eventLadder",
    "/league/entries/1/rank",
    ({ league }) => {
      const private_league = { name: "Own", url: "https://example.com/league/Own" };
      league.entries = [2, 1].map((rank) => ({ rank, private_league }));
    },
  ],
  [
    "a reversed ladder of a match",
    /^\/pvp-match\/[^/]+\/ladder$/u,
    "pvpMatches.ladder",
    "/match/entries/1/rank",
    ({ match }) => (match.entries = match.entries.toReversed()),
  ],
  [
    "a ladder that rises by experience under ranks in order",
    /sort=xp/u,
    "leagues.ladder",
    "/league/entries/1/character/experience",
    ({ league }) => {
      for (const [index, { character }] of league.entries.entries())
        character.experience = index * 1_000;
    },
  ],
  [
    "a stash id twice in a list",
    /^\/stash\/Standard$/u,
    "stashes.list",
    "/stashes/2/id",
    ({ stashes }) => (stashes[2].id = stashes[0].id),
  ],
  [
    "the id of a tab in a folder",
    /^\/stash\/Standard$/u,
    "stashes.list",
    "/stashes/1/children/0/id",
    ({ stashes }) => (stashes[1].children = [{ ...stashes[0] }]),
  ],
  [
    "a stash twice in a page of the stream",
    /^\/public-stash-tabs(?:\?id=[\d-]+)?$/u,
    "publicStashTabs.page",
    "/stashes/1/id",
    ({ stashes }) => (stashes[1].id = stashes[0].id),
  ],
  [
    "a stream that does not move on",
    /^\/public-stash-tabs(?:\?id=[\d-]+)?$/u,
    "publicStashTabs.page",
    "/next_change_id",
    (page, url) => {
      page.next_change_id = new URL(url).searchParams.get("id") ?? page.next_change_id;
    },
  ],
];

/** The sandbox with every mistake: those above, null under 404, and errors that are no JSON. */
const spoilt = async (request: Request): Promise<Response> => {
  const response = await fetch(request);
  if (response.status === 404) return new Response("<h1>No</h1>", { status: 404 });
  if (!response.ok) return response;
  const { pathname, search } = new URL(request.url);
  const body = (await response.json()) as Body;
  if (JSON.stringify(body) === '{"league":null}') return Response.json(body, { status: 404 });
  for (const [, matches, , , plant] of PLANTED)
    if (matches.test(pathname + search)) plant(body, request.url);
  return Response.json(body, response);
};

describe("examine", async () => {
  it("examine finds no deviation in the sandbox, and requests every endpoint that only reads", async () => {
    const { deviations, endpoints } = await examinedBy(fetch);
    expect(deviations).toBe(0);
    const notAsked = endpoints.filter(({ result }) => result === "not asked");
    const writing = ["itemFilters.create", "itemFilters.update"];
    expect(notAsked.map(({ endpoint }) => endpoint)).toEqual(writing);
  });

  const { endpoints } = await examinedBy(spoilt);
  const deviationsOf = (name: string) =>
    endpoints.find(({ endpoint }) => endpoint === name)!.deviations;

  it.each([
    ...PLANTED.map(([what, , endpoint, pointer]) => [what, endpoint, pointer] as const),
    ["a null result under 404", "leagues.get", "/error"] as const,
  ])("examine reports %s", (_, endpoint, pointer) => {
    expect(deviationsOf(endpoint).map(({ at }) => at)).toContain(pointer);
  });

  it("examine reports an error response that is not JSON", () => {
    const kinds = deviationsOf("errors.unknownPath").map(({ kind }) => kind);
    expect(kinds).toEqual(["content-type", "not-json"]);
  });

  it("examine lists endpoints without a token as not requested, and reports missing responses", async () => {
    const without = {
      baseUrl: sandbox.baseUrl,
      tokenFor: async (scopes: ReadonlyArray<Scope>) =>
        scopes.includes("account:profile") ? await sandbox.token({ scopes }) : undefined,
    };
    const asked = await Effect.runPromise(examine(without));
    expect(asked.endpoints.find(({ endpoint }) => endpoint === "leagues.list")).toMatchObject({
      result: "not asked",
      notAsked: expect.arrayContaining(["no token for service:leagues"]),
    });
    const gone = { baseUrl: "http://127.0.0.1:9", tokenFor: async () => "any" };
    const report = await Effect.runPromise(examine(gone));
    expect(report.endpoints[0]!.deviations[0]).toMatchObject({ kind: "no-response" });
  });
});

it("examine reads at most 64 MiB of a response body", async () => {
  const piece = new Uint8Array(1024 * 1024);
  let sent = 0;
  const pull = (controller: ReadableStreamDefaultController) => {
    sent += 1;
    controller.enqueue(piece);
  };
  const { endpoints } = await examinedBy(async (request) =>
    request.url.endsWith("/character")
      ? new Response(new ReadableStream({ pull }))
      : fetch(request),
  );
  expect(sent).toBeLessThan(70);
  const { deviations } = endpoints.find(({ endpoint }) => endpoint === "characters.list")!;
  expect(deviations).toMatchObject([
    { kind: "no-response", actual: expect.stringContaining("bytes") },
  ]);
});
