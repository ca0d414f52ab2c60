/** Signing in and out at a prompt, with a browser played by HTTP. */
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { Prompt, storedTokens, useService } from "./support/gamedata.ts";

const service = useService({ rates: "off" });
let prompt: Prompt;
beforeEach(() => {
  prompt = new Prompt();
  prompt.env = service.env("example-desktop");
  return () => prompt.remove();
});

type Login = ReturnType<Prompt["start"]>;

/** Returns the address that the consent page redirects to. */
const consent = async (login: Login, options: object = {}): Promise<string> => {
  const [url] = await login.stderr(/http:\S+\/oauth\/authorize\S+/u);
  return service.sandbox.consent(url, options);
};

const signIn = async (...args: ReadonlyArray<string>) => {
  const login = prompt.start(["login", "--no-browser", "--json", ...args]);
  await fetch(await consent(login));
  return login.ended;
};

it("login prints the address, waits for the browser, and stores tokens in files of mode 0600", async () => {
  const { code, stderr, stdout } = await signIn();
  expect(code).toBe(0);
  const scopes = expect.arrayContaining(["account:profile", "oauth:revoke"]);
  expect(JSON.parse(stdout)).toMatchObject({ username: "Emberlyn#4071", scopes });
  const folder = join(prompt.home, ".local/state/gamedata/tokens");
  for (const file of readdirSync(folder))
    expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
  const tokens = storedTokens(prompt.home);
  expect(tokens).toHaveLength(2);
  for (const token of tokens) expect(stdout + stderr).not.toContain(token);
});

it("login accepts a pasted callback address, and asks again after an address of another sign-in", async () => {
  const login = prompt.start("login --no-browser");
  const redirect = await consent(login, { account: "Quillon#1182" });
  login.type("http://127.0.0.1/callback?code=x&state=forged");
  await login.stderr(/does not belong to this sign-in/u);
  login.type(redirect);
  const { code, stdout } = await login.ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining("Quillon#1182")]);
});

it("login exits with 77 if consent is denied, and with 69 if the browser does not return", async () => {
  const login = prompt.start("login --no-browser --json");
  await fetch(await consent(login, { deny: true }));
  const { code, stderr } = await login.ended;
  expect([code, stderr]).toEqual([77, expect.stringContaining('"code":"AccessDenied"')]);
  expect(await prompt.error("login --no-browser --timeout 1")).toMatchObject({ exitCode: 69 });
});

it("login checks the token store before it prints the address", async () => {
  const file = join(prompt.home, "a-file");
  writeFileSync(file, "");
  const env = { GAME_DATA_TOKENS: file };
  const { code, stderr } = await prompt.run("login --no-browser", { env });
  expect(code).toBe(74);
  expect(stderr).not.toContain("/oauth/authorize");
  expect(stderr).toContain("GAME_DATA_TOKENS");
});

it("login refuses a client with a secret, and exits with 130 on Ctrl-C", async () => {
  const env = service.env("example-web");
  expect(await prompt.error("login", { env })).toMatchObject({ code: "NoUserNeeded" });
  const login = prompt.start("login --no-browser");
  await consent(login);
  login.interrupt();
  expect((await login.ended).code).toBe(130);
});

it("login adds the scopes of --scope to the granted scopes, and commands name a missing scope", async () => {
  await signIn("--scope", "account:profile");
  expect(await prompt.error("characters list")).toMatchObject({
    ...{ code: "Forbidden", exitCode: 77, scopesMissing: ["account:characters"] },
    next: "sign in for it: gamedata login --scope account:characters",
  });
  expect(await prompt.error("leagues list")).toMatchObject({
    next: expect.stringContaining("GAME_DATA_CLIENT_SECRET"),
  });
  expect(await prompt.error("token introspect")).toMatchObject({ code: "InsufficientScope" });
  const { stdout } = await signIn("--scope", "account:characters");
  expect(JSON.parse(stdout).scopes).toEqual(["account:profile", "account:characters"]);
  expect(await prompt.json("characters list")).toEqual(expect.any(Array));
  // The tokens cannot be revoked without the scope, and are removed all the same.
  const { stderr, stdout: out } = await prompt.run("logout --json");
  expect(JSON.parse(out)).toEqual({ forgotten: 1, revoked: false });
  expect(stderr).toContain("not revoked");
  expect(storedTokens(prompt.home)).toEqual([]);
});

describe("signed in", () => {
  beforeEach(async () => {
    await signIn();
  });

  it("whoami prints the account, and token introspect the state of a token on the server", async () => {
    const me = await prompt.json("whoami");
    expect(me).toMatchObject({ profile: { name: "Emberlyn#4071" }, clientId: "example-desktop" });
    const own = await prompt.json("token introspect");
    expect(own).toMatchObject({ active: true, username: "Emberlyn#4071" });
    const introspect = "token introspect --file -";
    expect(await prompt.json(introspect, { input: "no-token\n" })).toMatchObject({ active: false });
    expect(await prompt.error(introspect, { input: " \n" })).toMatchObject({ exitCode: 65 });
  });

  it("logout revokes the tokens that it removes", async () => {
    const [accessToken] = storedTokens(prompt.home);
    expect(await prompt.json("logout")).toEqual({ forgotten: 1, revoked: true });
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await fetch(`${service.sandbox.baseUrl}/profile`, { headers })).status).toBe(401);
    expect(await prompt.json("logout")).toEqual({ forgotten: 0, revoked: false });
    expect(await prompt.error("whoami")).toMatchObject({
      ...{ code: "NotSignedIn", exitCode: 77 },
      next: "sign in with: gamedata login",
    });
  });

  it("token revoke ends a token from standard input, or the user's own sign-in", async () => {
    const clientId = "example-desktop";
    const input = await service.sandbox.token({ scopes: ["account:profile"], clientId });
    expect(await prompt.json("token introspect --file -", { input })).toMatchObject({
      active: true,
    });
    expect((await prompt.run("token revoke --file -", { input })).code).toBe(0);
    expect(await prompt.json("token introspect --file -", { input })).toMatchObject({
      active: false,
    });
    await prompt.json("token revoke");
    expect(storedTokens(prompt.home)).toEqual([]);
  });

  it("commands renew an expired token, and exit with 77 once the consent has expired", async () => {
    await service.sandbox.advance("11 hours");
    expect(await prompt.json("whoami")).toMatchObject({ profile: { name: "Emberlyn#4071" } });
    await service.sandbox.advance("8 days");
    expect(await prompt.error("characters list")).toMatchObject({ exitCode: 77 });
    await service.sandbox.control("POST", "/clock", { reset: true });
  });
});

it("commands print no token and no client secret in any format", async () => {
  const { GAME_DATA_CLIENT_SECRET: secret } = (prompt.env = service.env("example-web"));
  let output = "";
  const ladder = "ladder export Standard --limit 1";
  for (const line of ["whoami", ladder, "token introspect", "doctor", "limits"])
    for (const format of [[], ["--json"]]) {
      const run = await prompt.run([...line.split(" "), ...format, "--log-level", "all"]);
      expect(run.code).toBe(0);
      output += run.stdout + run.stderr;
    }
  const tokens = storedTokens(prompt.home);
  expect(tokens.length).toBeGreaterThan(3);
  for (const each of [...tokens, secret!]) expect(output).not.toContain(each);
  expect(await prompt.json("logout")).toMatchObject({ revoked: true });
  expect(storedTokens(prompt.home)).toEqual([]);
});
