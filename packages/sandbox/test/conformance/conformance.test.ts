/** `examine` against the sandbox itself, and against answers with one planted mistake each. */
import { Effect } from "effect";
import { afterAll, describe, expect, it } from "vitest";
import { bodyOf, deploymentAt, examine } from "../../src/conformance/index.ts";
import { startSandbox } from "../../src/index.ts";

const sandbox = await startSandbox();
afterAll(() => sandbox.close());

// A mistake is planted in a body of any shape
type Body = Record<string, any>;

/** Examines the sandbox through another `fetch`. */
const examinedBy = async (send: (request: Request) => Promise<Response>) => {
  const report = await Effect.runPromise(
    examine(
      deploymentAt({
        baseUrl: sandbox.baseUrl,
        tokenFor: (scopes) => sandbox.token({ scopes }),
        fetch: send,
      }),
      { league: "Standard" },
    ),
  );
  const of = (name: string) => report.endpoints.find(({ endpoint }) => endpoint === name)!;
  return { ...report, of };
};

describe("examine", () => {
  it("finds no deviation in the sandbox, and asks every endpoint that reads", async () => {
    const { deviations, endpoints } = await examinedBy(fetch);
    expect(deviations).toBe(0);
    const notAsked = endpoints.filter(({ result }) => result === "not asked");
    expect(notAsked.map(({ endpoint }) => endpoint)).toEqual([
      "itemFilters.create",
      "itemFilters.update",
    ]);
  });

  const PLANTED: Record<string, [RegExp, string, string, (body: Body, url: string) => void]> = {
    "a reversed ladder": [
      /^\/league\/Standard\/ladder$/u,
      "leagues.ladder",
      "/league/entries/1/rank",
      ({ league }) => (league.entries = league.entries.toReversed()),
    ],
    "a reversed event ladder": [
      /^\/league\/Standard\/event-ladder$/u,
      "leagues.eventLadder",
      "/league/entries/1/rank",
      ({ league }) => {
        league.entries = [2, 1].map((rank) => ({
          rank,
          private_league: { name: "Own", url: "https://example.com/league/Own" },
        }));
      },
    ],
    "a reversed ladder of a match": [
      /^\/pvp-match\/[^/]+\/ladder$/u,
      "pvpMatches.ladder",
      "/match/entries/1/rank",
      ({ match }) => (match.entries = match.entries.toReversed()),
    ],
    "a ladder that rises by experience under ranks in order": [
      /sort=xp/u,
      "leagues.ladder",
      "/league/entries/1/character/experience",
      ({ league }) => {
        for (const [index, { character }] of league.entries.entries())
          character.experience = index * 1_000;
      },
    ],
    "a stash id twice in a list": [
      /^\/stash\/Standard$/u,
      "stashes.list",
      "/stashes/2/id",
      ({ stashes }) => {
        stashes[2].id = stashes[0].id;
      },
    ],
    "the id of a tab in a folder": [
      /^\/guild\/[^?]*stash\/Standard$|^\/stash\/Standard$/u,
      "stashes.list",
      "/stashes/1/children/0/id",
      ({ stashes }) => {
        stashes[1].children = [{ ...stashes[0] }];
      },
    ],
    "a stash twice in a page of the stream": [
      /^\/public-stash-tabs(?:\?id=[\d-]+)?$/u,
      "publicStashTabs.page",
      "/stashes/1/id",
      ({ stashes }) => {
        stashes[1].id = stashes[0].id;
      },
    ],
    "a stream that does not move on": [
      /^\/public-stash-tabs(?:\?id=[\d-]+)?$/u,
      "publicStashTabs.page",
      "/next_change_id",
      (page, url) => {
        page.next_change_id = new URL(url).searchParams.get("id") ?? page.next_change_id;
      },
    ],
  };

  it.each(Object.entries(PLANTED))("finds %s", async (_, [matches, endpoint, pointer, plant]) => {
    const { of } = await examinedBy(async (request) => {
      const response = await fetch(request);
      const { pathname, search } = new URL(request.url);
      if (!matches.test(pathname + search) || !response.ok) return response;
      const body = (await response.json()) as Body;
      plant(body, request.url);
      return Response.json(body, response);
    });
    expect(of(endpoint).deviations.map(({ at }) => at)).toContain(pointer);
  });

  it("finds a null result under 404", async () => {
    const { of } = await examinedBy(async (request) => {
      const response = await fetch(request);
      const isNull = (await response.clone().text()) === '{"league":null}';
      return isNull ? Response.json({ league: null }, { status: 404 }) : response;
    });
    expect(of("leagues.get").deviations.map(({ at }) => at)).toContain("/error");
  });

  it("finds an error that is no JSON", async () => {
    const { of } = await examinedBy(async (request) => {
      const response = await fetch(request);
      return response.status === 404 ? new Response("<h1>No</h1>", { status: 404 }) : response;
    });
    expect(of("errors.unknownPath").deviations.map(({ kind }) => kind)).toEqual([
      "content-type",
      "not-json",
    ]);
  });

  it("lists what no token permits, and what does not answer", async () => {
    const without = deploymentAt({
      baseUrl: sandbox.baseUrl,
      tokenFor: async (scopes) =>
        scopes.includes("account:profile") ? await sandbox.token({ scopes }) : undefined,
    });
    const { endpoints } = await Effect.runPromise(examine(without));
    expect(endpoints.find(({ endpoint }) => endpoint === "leagues.list")).toMatchObject({
      result: "not asked",
      notAsked: expect.arrayContaining(["no token for service:leagues"]),
    });
    const gone = deploymentAt({ baseUrl: "http://127.0.0.1:9", tokenFor: async () => "any" });
    const report = await Effect.runPromise(examine(gone));
    expect(report.endpoints[0]!.deviations[0]).toMatchObject({ kind: "no-response" });
  });
});

it("reads 64 MiB of a body and nothing of what is behind", async () => {
  const piece = new Uint8Array(1024 * 1024);
  let sent = 0;
  const endless = new ReadableStream({
    pull: (controller) => {
      sent += 1;
      controller.enqueue(piece);
    },
  });
  await expect(bodyOf(new Response(endless))).rejects.toThrow(RangeError);
  expect(sent).toBeLessThan(70);
  expect(await bodyOf(new Response("ä"))).toEqual(new TextEncoder().encode("ä").buffer);
  expect((await bodyOf(new Response(null))).byteLength).toBe(0);
});
