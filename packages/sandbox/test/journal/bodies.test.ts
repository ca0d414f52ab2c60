/** Bodies beside the journal: asked for, few, small, in memory, and none of the OAuth server. */
import { expect, it } from "vitest";
import { openForFile } from "../control/harness.ts";

const sandbox = await openForFile();

interface Kept {
  readonly text: string;
  readonly bytes: number;
  readonly isCut: boolean;
}

const bodiesOf = async (id: number) => {
  const response = await sandbox.control("GET", `/journal/${id}/bodies`);
  return response.ok
    ? ((await response.json()) as { readonly request: Kept; readonly response: Kept })
    : response.status;
};

const idsOf = async (endpoint: string): Promise<ReadonlyArray<number>> =>
  (await sandbox.journal(`?endpoint=${endpoint}`)).map(({ id }) => id);

it("keeps the bodies of as many requests as were asked for, and of no other", async () => {
  const token = await sandbox.serviceToken();
  await sandbox.get("/league", token);
  await sandbox.ask("POST", "/journal/capture", { match: { endpoint: "leagues" }, count: 2 });
  for (let time = 0; time < 3; time++) await sandbox.get("/league", token);
  await sandbox.get("/profile", token);
  const [before, first, second, third] = await idsOf("leagues.list");
  expect(await bodiesOf(before!)).toBe(404);
  const kept = await bodiesOf(first!);
  expect(kept).toMatchObject({ request: { text: "", bytes: 0, isCut: false } });
  expect(kept).toHaveProperty("response.text", expect.stringContaining('{"leagues":['));
  expect(await bodiesOf(second!)).not.toBe(404);
  expect(await bodiesOf(third!)).toBe(404);
  const [profile] = await idsOf("profile.get");
  expect(await bodiesOf(profile!)).toBe(404);
});

it("keeps what was sent with a request, the begin of what is large, and both until a reset", async () => {
  const token = await sandbox.token({ scopes: ["account:item_filter"] });
  await sandbox.ask("POST", "/journal/capture", { count: 10 });
  const filter = `Show\n#${"x".repeat(100_000)}`;
  const body = JSON.stringify({ filter_name: "Mine", realm: "pc", filter });
  await sandbox.get("/item-filter", token, {
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  const [id] = await idsOf("itemFilters.create");
  const kept = (await bodiesOf(id!)) as { readonly request: Kept };
  expect(kept.request).toMatchObject({ bytes: body.length, isCut: true });
  expect(kept.request.text).toBe(body.slice(0, 64 * 1024));
  await sandbox.ask("POST", "/reset");
  expect(await bodiesOf(id!)).toBe(404);
});

it("keeps at most 100 requests", async () => {
  const token = await sandbox.serviceToken();
  for (let time = 0; time < 2; time++)
    await sandbox.ask("POST", "/journal/capture", { match: { endpoint: "leagues" }, count: 100 });
  for (let time = 0; time < 130; time++) await sandbox.get("/league?limit=1", token);
  const ids = await idsOf("leagues.list");
  expect(ids).toHaveLength(130);
  const found = await Promise.all(ids.map(bodiesOf));
  expect(found.filter((one) => one !== 404)).toHaveLength(100);
  expect(found[0]).toBe(404);
});

it("keeps no body of the OAuth server, whatever is asked for", async () => {
  await sandbox.ask("POST", "/journal/capture", { count: 100 });
  await fetch(`${sandbox.authUrl}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams("client_id=example-web&client_secret=s3cret&grant_type=x"),
  });
  const [id] = await idsOf("oauth.token");
  expect(await bodiesOf(id!)).toBe(404);
  expect(JSON.stringify(await sandbox.ask("GET", "/journal"))).not.toContain("s3cret");
});

it("refuses a request for more", async () => {
  const refused = await sandbox.control("POST", "/journal/capture", { count: 101 });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ issues: [{ pointer: "/count" }] });
});
