/** What a test asks of a sandbox: tokens, consents, faults, the clock, what came. */
import { afterAll, expect, it } from "vitest";
import { controlOf } from "../../src/control.ts";
import {
  createSandboxHandler,
  type RunningSandbox,
  type SandboxHandler,
  startSandbox,
} from "../../src/index.ts";
import { createWebSandbox } from "../../src/web.ts";
import { authorizeQuery } from "../oauth/harness.ts";

const sandbox = await startSandbox();
afterAll(() => sandbox.close());

const authorizeUrl = () =>
  `${sandbox.authUrl}/oauth/authorize?${authorizeQuery({ state: "the-state-of-this-test" })}`;

it.each([
  [false, [null, "the-state-of-this-test"], /^\S{20,}$/u],
  [true, ["access_denied", "the-state-of-this-test"], /^$/u],
])("`consent` with deny: %s redirects with a code or access_denied", async (deny, said, code) => {
  const { searchParams } = new URL(await sandbox.consent(authorizeUrl(), { deny }));
  expect([searchParams.get("error"), searchParams.get("state")]).toEqual(said);
  expect(searchParams.get("code") ?? "").toMatch(code);
});

it("`consent` rejects for an unknown account, with its place in the request", async () => {
  const answer = sandbox.consent(authorizeUrl(), { account: "nobody" });
  await expect(answer).rejects.toThrow(/POST \/authorize: 400 .*\/account/u);
});

const profile = (token: string) =>
  fetch(`${sandbox.baseUrl}/profile`, { headers: { authorization: `Bearer ${token}` } });

it("`token` resolves to tokens of users and services, and rejects scopes a client may not have", async () => {
  const token = await sandbox.token({ scopes: ["account:profile"] });
  expect((await profile(token)).status).toBe(200);
  expect(await sandbox.token({ scopes: ["service:leagues"] })).toMatch(/^\S{20,}$/u);
  const refused = sandbox.token({ scopes: ["service:leagues"], clientId: "example-desktop" });
  await expect(refused).rejects.toThrow(/POST \/tokens: 400/u);
  // A service's token names the owner of the application, whatever account is asked for.
  const [other, owner] = sandbox.accounts.map(({ name }) => name);
  const service = { clientId: "example-service", scopes: ["service:leagues"] } as const;
  await expect(sandbox.token({ ...service, account: other! })).rejects.toThrow(
    `400 /account: example-service asks for itself, and ${owner} owns it`,
  );
  expect(await sandbox.token({ ...service, account: owner! })).toMatch(/^\S{20,}$/u);
  await expect(sandbox.token(undefined as never)).rejects.toThrow("400 /scopes: Expected array");
  const misspelt = { scopes: ["account:profile"], acount: other } as never;
  await expect(sandbox.token(misspelt)).rejects.toThrow("did you mean account?");
  const denied = sandbox.consent(authorizeUrl(), { dney: true } as never);
  await expect(denied).rejects.toThrow("did you mean deny?");
});

it("`fault` adds a fault, and `verify` resolves if the expected requests arrived", async () => {
  const token = await sandbox.token({ scopes: ["account:profile"] });
  await sandbox.control("DELETE", "/journal");
  const { id } = await sandbox.fault({
    match: { endpoint: "profile" },
    when: { count: 1 },
    fault: { kind: "status", status: 503 },
  });
  expect([(await profile(token)).status, (await profile(token)).status]).toEqual([503, 200]);
  await sandbox.control("DELETE", `/faults/${id}`);
  await sandbox.verify({ match: { endpoint: "profile" }, exactly: 2 });
  const [{ name, uuid } = { name: "", uuid: "" }] = sandbox.accounts;
  for (const account of [name, uuid])
    await sandbox.verify({ match: { endpoint: "profile", account }, exactly: 2 });
  await expect(sandbox.verify({ match: { endpoint: "leagues" }, atLeast: 1 })).rejects.toThrow(
    /expected atLeast 1 of \{"endpoint":"leagues"\}, 0 came; others: GET \/profile → 503/u,
  );
});

it("helpers reject with errors that have a tag, a help page, and the invalid places", async () => {
  const refused = sandbox.token({ scopes: ["account:profil" as never] });
  const place = { pointer: "/scopes/0", nearest: "account:profile" };
  await expect(refused).rejects.toMatchObject({
    _tag: "ControlRejected",
    request: "POST /tokens",
    status: 400,
    issues: [expect.objectContaining(place)],
    help: "https://game-data.github.io/game-data/errors/sandbox/#controlrejected",
  });
  const missing = sandbox.verify({ match: { endpoint: "leagues" }, atLeast: 1 });
  await expect(missing).rejects.toMatchObject({ _tag: "VerificationFailed", count: 0 });
  const { controlUrl } = sandbox;
  const elsewhere = controlOf({ controlUrl: controlUrl.replace("/control", "/x") });
  await expect(elsewhere.advance("1 second")).rejects.toMatchObject({ _tag: "ControlRejected" });
});

const isHandler = (one: RunningSandbox): one is SandboxHandler => "fetch" in one;

it.each([
  ["on ports", startSandbox],
  ["in process", createSandboxHandler],
] as const)("helpers reject with SandboxClosed if the sandbox %s is closed", async (_, start) => {
  const closed = await start();
  await closed.close();
  const asked = [
    closed.token({ scopes: ["account:profile"] }),
    closed.verify({ match: {}, atLeast: 0 }),
    ...(isHandler(closed) ? [closed.fetch(new Request(`${closed.baseUrl}/profile`))] : []),
  ];
  for (const one of asked)
    await expect(one).rejects.toMatchObject({ _tag: "SandboxClosed", help: expect.any(String) });
});

const query = "/oauth/authorize?client_id=example-desktop&response_type=code";
it.each([
  ["a page of another host", "https://evil.example" + query, "is not the authorization page"],
  ["another page", query.replace("/oauth", ""), "is not the authorization page"],
  ["a text that is not a URL", "not a url", "is no URL"],
])("`consent` rejects for %s", async (_, url, says) => {
  const text = url.startsWith("/") ? sandbox.authUrl + url : url;
  await expect(sandbox.consent(text)).rejects.toThrow(says);
});

it.each([
  [{ prot: 1 }, "did you mean port?"],
  [{ world: { stremPages: 1 } }, "/world/stremPages: unknown member"],
  [{ world: { streamPageSize: 1e9 } }, "/world/streamPageSize: Expected a value between 0 and"],
  [{ journal: -1 }, "/journal: Expected a value greater than or equal to 1"],
  [{ hosts: ["a b"] }, "/hosts/0: Expected a name of a host"],
  [{ hosts: ["*"] }, "/hosts/0: Expected a name of a host"],
  [{ tokenOrigins: ["https://a.example/"] }, "/tokenOrigins/0: Expected scheme, host and port"],
  [{ rates: "generos" }, "/rates: Expected one of generous, realistic, off or object; did you"],
  [{ rates: { enabled: 1 } }, "cannot be used: /enabled Expected boolean", "RatePolicyInvalid"],
  [{ rates: { enabled: 1 }, seed: 1.5 }, "/seed: Expected an integer; /rates/enabled: Expected"],
  [{ clients: [{}] }, "/clients/0/clientId: is missing"],
  [null, "Expected object"],
  [{ now: "yesterday" }, /now: "yesterday" is no instant in ISO 8601[^;]*$/u],
  [{ now: "0001-01-01T00:00:00Z" }, "/now: the clock stays within the years 1971 to 9998"],
  [{ seed: 1.5 }, "/seed: Expected an integer"],
  [{ seed: Number.NaN }, "/seed: Expected an integer"],
  [{ port: 65_534 }, "/port: Expected one of 0 to 65533"],
  [{ port: -1 }, "/port: Expected one of 0 to 65533"],
])("a sandbox refuses the options %j", async (options, says, _tag = "SandboxStartError") => {
  await expect(startSandbox(options as never)).rejects.toThrow(says);
  for (const start of [createSandboxHandler, createWebSandbox])
    await expect(start(options as never)).rejects.toMatchObject({ _tag });
});

it("a sandbox accepts options that are undefined", async () => {
  await using other = await createSandboxHandler({
    seed: undefined,
    world: { streamItems: undefined },
  });
  expect(other.accounts).toHaveLength(6);
});

it("`verify` rejects if the journal has forgotten requests", async () => {
  await using small = await startSandbox({ journal: 2 });
  for (let time = 0; time < 3; time++) await fetch(`${small.baseUrl}/profile`);
  const counted = small.verify({ match: { endpoint: "profile" }, atMost: 2 });
  await expect(counted).rejects.toThrow(/forgotten 1 requests/u);
  await small.control("DELETE", "/journal");
  await small.verify({ match: { endpoint: "profile" }, exactly: 0 });
});

it("`controlOf` makes helpers from addresses and the control key, without which they get 401", async () => {
  const controlKey = "a-key-for-the-tests";
  await using guarded = await startSandbox({ allowRemote: true, controlKey });
  const { controlUrl } = guarded;
  const without = controlOf({ controlUrl });
  await expect(without.advance("1 second")).rejects.toThrow(/401/u);
  const withKey = controlOf({ controlUrl, controlKey });
  expect(await withKey.token({ scopes: ["account:profile"] })).toMatch(/^\S{20,}$/u);
});
