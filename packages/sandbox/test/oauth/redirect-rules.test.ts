/** S1 and S2: which redirect URI is the registered one, and which may be registered at all (§5). */
import { describe, expect, it } from "vitest";
import { wordsOf } from "../../src/internal/words.ts";
import { openSandbox } from "./harness.ts";

const sandbox = await openSandbox();

const authorize = async (clientId: string, redirectUri: string): Promise<number> =>
  (await sandbox.get(sandbox.authorizeUrl({ client_id: clientId, redirect_uri: redirectUri })))
    .status;

const register = (kind: string, redirectUri: string): Promise<Response> =>
  sandbox.ask("/clients", {
    clientId: `probe-${kind}`,
    kind,
    domains: ["example.com", "example.co.uk"],
    redirectUris: [redirectUri],
  });

describe("S1: a public client's loopback literal, any port [OA-41]", () => {
  it.each([
    "http://127.0.0.1:8765/callback",
    "http://127.0.0.1:1/callback",
    "http://127.0.0.1:65535/callback",
    "http://127.0.0.1/callback",
    "http://[::1]:4000/callback",
  ])("a public client's authorization request with redirect URI %s is accepted", async (uri) => {
    expect(await authorize("example-desktop", uri)).toBe(200);
  });

  it.each([
    "http://127.0.0.1:8765\\@evil.example/callback",
    "http://127.0.0.1:8765/callback\\..",
    "http://127.0.0.1:87\t65/callback",
    "http://127.0.0.1:8765/call\nback",
    " http://127.0.0.1:8765/callback",
    ...wordsOf(`
    http://127.1:8765/callback http://0x7f.1:8765/callback http://2130706433:8765/callback
    http://127.0.0.1.evil.example:8765/callback http://127.0.0.1:8765@evil.example/callback
    http://user@127.0.0.1:8765/callback HTTP://127.0.0.1:8765/callback
    http://127.0.0.1:8765/CALLBACK http://127.0.0.1:8765/%63allback
    http://127.0.0.1%2e:8765/callback http://127.0.0.1.:8765/callback http://127.0.0.1:0/callback
    http://127.0.0.1:65536/callback http://127.0.0.1:/callback http://127.0.0.1:8765:1/callback
    http://localhost:8765/callback http://[::ffff:127.0.0.1]:8765/callback
    http://[0:0:0:0:0:0:0:1]:8765/callback http://127.0.0.2:8765/callback
    https://127.0.0.1:8765/callback http://127.0.0.1:8765 http://127.0.0.1:8765/
    http://127.0.0.1:8765/callback/ http://127.0.0.1:8765/callback?x=1
    http://127.0.0.1:8765/callback#fragment http://127.0.0.1:8765//callback
    `),
  ])("a public client's authorization request with redirect URI %j is refused", async (uri) => {
    expect(await authorize("example-desktop", uri)).toBe(400);
  });

  it("a public client that registered 127.0.0.1 is refused with a redirect URI on [::1]", async () => {
    expect(await authorize("example-tablet", "http://127.0.0.1:1/callback")).toBe(200);
    expect(await authorize("example-tablet", "http://[::1]:1/callback")).toBe(400);
  });

  it("a public client's redirect URI must have the registered query, which the redirect keeps", async () => {
    const redirectUris = ["http://127.0.0.1:1/callback?app=one"];
    await sandbox.ask("/clients", { clientId: "with-query", kind: "public", redirectUris });
    const uri = "http://127.0.0.1:4000/callback?app=one";
    const back = await sandbox.redirectOf({ client_id: "with-query", redirect_uri: uri });
    expect(back.href).toMatch(
      /^http:\/\/127\.0\.0\.1:4000\/callback\?app=one&code=[\w-]{43}&state=a-state$/u,
    );
    expect(await authorize("with-query", "http://127.0.0.1:4000/callback?app=two")).toBe(400);
    expect(await authorize("with-query", "http://127.0.0.1:4000/callback")).toBe(400);
  });
});

describe("S1: a confidential client's URI, the same string [OA-10] [OA-39]", () => {
  it.each([
    ...wordsOf(`
    https://app.example.com:8443/callback https://app.example.com:443/callback
    https://APP.example.com/callback https://app.example.com/callback/
    https://app.example.com/callback/../evil https://app.example.com/callback?x
    https://app.example.com/callback#x https://app.example.com.evil.example/callback
    https://app.example.com@evil.example/callback http://app.example.com/callback
    http://127.0.0.1:8765/callback
    `),
  ])(
    "the authorization request of a confidential client is refused with the redirect URI %s",
    async (uri) => {
      expect(await authorize("example-web", uri)).toBe(400);
    },
  );
});

describe("S2: what a confidential client may register [OA-39] [OA-40]", () => {
  it.each([
    "https://app.example.com/callback",
    "https://example.com/",
    "https://deep.app.example.co.uk/a/b?x=1",
  ])("registering a confidential client with the redirect URI %s is accepted", async (uri) => {
    expect((await register("confidential", uri)).status).toBe(201);
  });
  const REFUSED = {
    "redirect URI is https without userinfo or fragment": `
      http://app.example.com/callback https://[::1]/callback https://[::ffff:7f00:1]/callback
      https://user@app.example.com/callback https://app.example.com@evil.example/callback
      https://app.example.com/callback#fragment https://app.example.com\\@evil.example/callback
      custom-scheme://callback`,
    "IP addresses are not accepted": `
      https://127.0.0.1/callback https://127.1/callback https://0x7f000001/callback
      https://0x7f.0.0.1/callback https://0177.0.0.1/callback https://2130706433/callback`,
    "localhost is not accepted": `
      https://localhost/callback https://localhost:3000/callback https://app.localhost/callback`,
    "not a domain name in lower case": `
      https://LOCALHOST/callback https://localhost./callback https://app.example.com./callback`,
    "not a registered domain of the owner": `
      https://other.example/callback https://notexample.com/callback https://1.com/callback
      https://a.0x.com/callback`,
    "the port of the redirect URI is out of range": `
      https://example.com:0/ https://example.com:080/ https://example.com:65536/`,
  };
  it.each<[uri: string, reason: string]>([
    ["", "https without userinfo"],
    ...Object.entries(REFUSED).flatMap(([reason, uris]) =>
      wordsOf(uris).map((uri): [string, string] => [uri, reason]),
    ),
  ])("registering a confidential client with %j is refused: %s", async (uri, reason) => {
    const response = await register("confidential", uri);
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(new RegExp(`cannot be registered: .*${reason}`, "u"));
  });
});

it.each(["localhost", "app.localhost"])(
  "S2: registering the domain %s is refused [OA-40]",
  async (host) => {
    const response = await sandbox.ask("/clients", {
      clientId: "probe-localhost",
      kind: "confidential",
      domains: [host],
      redirectUris: [`https://${host}/callback`],
    });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("localhost is not accepted");
  },
);

describe("S2: what a public client may register [OA-41]", () => {
  it.each(["http://127.0.0.1:8000/callback", "http://[::1]:8000/cb", "http://127.0.0.1/cb"])(
    "registering a public client with the redirect URI %s is accepted",
    async (uri) => {
      expect((await register("public", uri)).status).toBe(201);
    },
  );
  it.each([
    "http://localhost:8000/callback",
    "https://app.example.com/callback",
    "http://127.0.0.1:8000",
    "http://127.0.0.1:8000/callback#x",
    "http://192.168.0.1:8000/callback",
    "myapp:/callback",
  ])("registering a public client with the redirect URI %s is refused", async (uri) => {
    const response = await register("public", uri);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("URI is http on 127.0.0.1 or [::1] with a path");
  });
  it.each([
    [{ clientSecret: "s" }, "/clientSecret: a public client has no secret"],
    [{ scopes: ["account:profile", "service:leagues"] }, "/scopes/1: service scopes need a conf"],
    [{ grants: ["client_credentials"] }, "/grants/0: the client credentials grant needs a conf"],
    [{ clientId: "a b" }, "/clientId: the client id is not printable ASCII"],
    [{ redirectUris: ["http://127.0.0.1:99999/"] }, "/redirectUris/0: the port of the redirect"],
  ])(
    "registering a public client with %j is refused [OA-36] [OA-38] [OA-42]",
    async (extra, reason) => {
      const base = { clientId: "p", kind: "public", redirectUris: ["http://127.0.0.1:1/cb"] };
      const response = await sandbox.ask("/clients", { ...base, ...extra });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(reason);
    },
  );
});

it("registering a client takes effect at once, and ends with a new registration or a reset", async () => {
  const [first, second] = ["http://127.0.0.1:1/first", "http://127.0.0.1:1/second"];
  const statuses = async () => [
    await authorize("probe-public", first),
    await authorize("probe-public", second),
  ];
  await register("public", first);
  expect(await statuses()).toEqual([200, 400]);
  await register("public", second);
  expect(await statuses()).toEqual([400, 200]);
  await sandbox.control("POST", "/reset");
  expect(await statuses()).toEqual([400, 400]);
});
