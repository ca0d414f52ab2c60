/** Signing in and out at a prompt, with a browser played by HTTP. */
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Prompt, type Running, storedTokens, useService } from "./support/gamedata.ts";

const service = useService();
let prompt: Prompt;
beforeEach(() => {
  prompt = new Prompt();
  prompt.env = service.envOf("example-desktop");
  prompt.isHurried = true;
});
afterEach(() => prompt.remove());

const ADDRESS = /http:\S+\/oauth\/authorize\S+/u;

/** Returns the address that the consent page redirects to. */
const answer = async (login: Running, body: object = {}): Promise<string> => {
  const [url] = await login.stderr(ADDRESS);
  return (await service.control("/authorize", { url, ...body })).redirect;
};

const signIn = async (...args: ReadonlyArray<string>) => {
  const login = prompt.start(["login", "--no-browser", "--json", ...args]);
  await fetch(await answer(login));
  return login.ended;
};

const tokensOf = (home: string) => storedTokens(join(home, ".local/state/gamedata/tokens"));

describe("login", () => {
  it("prints the address, waits for the browser, and keeps the tokens to its owner", async () => {
    const { code, stderr, stdout } = await signIn();
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      username: "Emberlyn#4071",
      clientId: "example-desktop",
      scopes: expect.arrayContaining(["account:profile", "oauth:revoke"]),
      store: { kind: "file" },
    });
    expect(Date.parse(JSON.parse(stdout).expiresAt)).toBeGreaterThan(Date.now());
    const { path, texts, tokens } = tokensOf(prompt.home);
    expect(texts).toHaveLength(1);
    for (const file of readdirSync(dirname(path)))
      expect(statSync(join(dirname(path), file)).mode & 0o777).toBe(0o600);
    expect(tokens).toHaveLength(2);
    for (const secret of tokens) {
      expect(secret).toMatch(/.{20,}/u);
      expect(stdout + stderr).not.toContain(secret);
    }
  });

  it("takes the address that the browser ended at from standard input, and asks again after another", async () => {
    const login = prompt.start("login --no-browser");
    const redirect = await answer(login, { account: "Quillon#1182" });
    login.stdin.write("http://127.0.0.1/callback?code=x&state=forged\n");
    await login.stderr(/does not belong to this sign-in/u);
    login.stdin.write(`${redirect}\n`);
    const { code, stdout } = await login.ended;
    expect(code).toBe(0);
    expect(stdout).toContain("Quillon#1182");
  });

  it("waits for the browser although standard input has ended", async () => {
    const login = prompt.start("login --no-browser", { input: "" });
    await fetch(await answer(login));
    expect((await login.ended).code).toBe(0);
  });

  it("asks for the scopes that are named, and commands say which one is lacking", async () => {
    expect(JSON.parse((await signIn("--scope", "account:profile")).stdout).scopes).toEqual([
      "account:profile",
    ]);
    expect(await prompt.error("characters")).toMatchObject({
      code: "scope-missing",
      scopesMissing: ["account:characters"],
      next: "sign in for it: gamedata login --scope account:characters",
    });
    expect(await prompt.error("leagues")).toMatchObject({
      code: "scope-missing",
      next: expect.stringContaining("GAME_DATA_CLIENT_SECRET"),
    });
    expect(await prompt.error("token introspect")).toMatchObject({
      code: "scope-missing",
      next: "sign in for it: gamedata login --scope oauth:introspect",
    });
    // Without the scope to revoke, they are forgotten all the same.
    expect(await prompt.json("logout")).toEqual({ forgotten: 1, revoked: false });
    expect(tokensOf(prompt.home).tokens).toEqual([]);
  });

  it("ends with 77 when consent is refused", async () => {
    const login = prompt.start("login --no-browser --json");
    await fetch(await answer(login, { deny: true }));
    const { code, stderr } = await login.ended;
    expect(code).toBe(77);
    expect(JSON.parse(stderr.trimEnd().split("\n").at(-1)!).error.code).toBe("denied");
    expect(tokensOf(prompt.home).tokens).toEqual([]);
  });

  it("ends with 69 when the browser does not come back in time", async () => {
    expect(await prompt.error("login --no-browser --timeout 1")).toMatchObject({
      code: "sign-in-timed-out",
    });
  });

  it("probes the token store before anybody is sent anywhere", async () => {
    writeFileSync(join(prompt.home, "a-file"), "");
    const env = { GAME_DATA_TOKENS: join(prompt.home, "a-file") };
    const { code, stderr } = await prompt.run("login --no-browser", { env });
    expect(code).toBe(74);
    expect(stderr).not.toMatch(ADDRESS);
    expect(stderr).toContain("GAME_DATA_TOKENS");
  });

  it("is not for a client with a secret", async () => {
    prompt.env = service.envOf("example-web");
    expect(await prompt.error("login")).toMatchObject({ code: "no-user-needed" });
  });

  it("ends with 130 on Ctrl-C", async () => {
    const login = prompt.start("login --no-browser");
    await login.stderr(ADDRESS);
    login.interrupt();
    expect((await login.ended).code).toBe(130);
  });
});

describe("signed in", () => {
  beforeEach(async () => {
    await signIn();
  });

  it("says who that is, without telling the token", async () => {
    const me = await prompt.json("whoami");
    expect(me).toMatchObject({ profile: { name: "Emberlyn#4071" }, clientId: "example-desktop" });
    const [accessToken] = tokensOf(prompt.home).tokens;
    const human = await prompt.run("whoami");
    expect(human.stdout).toContain("Emberlyn#4071");
    expect(JSON.stringify(me) + human.stdout + human.stderr).not.toContain(accessToken);
  });

  it("asks the server about its own token, and about one from a file", async () => {
    expect(await prompt.json("token introspect")).toMatchObject({
      active: true,
      username: "Emberlyn#4071",
    });
    const other = await prompt.run("token introspect --file - --json", {
      input: "no-such-token\n",
    });
    expect(JSON.parse(other.stdout)).toMatchObject({ active: false });
    const empty = { input: " \n" };
    expect(await prompt.error("token introspect --file -", empty)).toMatchObject({
      code: "request-invalid",
    });
  });

  it("revokes what it forgets", async () => {
    const [accessToken] = tokensOf(prompt.home).tokens;
    expect(await prompt.json("logout")).toEqual({ forgotten: 1, revoked: true });
    expect(tokensOf(prompt.home).tokens).toEqual([]);
    const refused = await fetch(`${service.sandbox.baseUrl}/profile`, {
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(refused.status).toBe(401);
    expect(await prompt.json("logout")).toEqual({ forgotten: 0, revoked: false });
    expect(await prompt.error("whoami")).toMatchObject({ code: "not-signed-in" });
  });

  it("revokes another token from a file, and its own with its sign-in", async () => {
    const other = await service.control("/tokens", {
      clientId: "example-desktop",
      account: "Emberlyn#4071",
    });
    const given = { input: other.access_token as string };
    const revoked = await prompt.run("token revoke --file - --json", given);
    expect(JSON.parse(revoked.stdout)).toEqual({ revoked: true });
    const asked = await prompt.run("token introspect --file - --json", given);
    expect(JSON.parse(asked.stdout).active).toBe(false);
    await prompt.json("token revoke");
    expect(tokensOf(prompt.home).tokens).toEqual([]);
  });

  it("renews an expired token by itself, and says so when consent has ended", async () => {
    await service.control("/clock", { advance: "11 hours" });
    try {
      expect(await prompt.json("whoami")).toMatchObject({ profile: { name: "Emberlyn#4071" } });
      await service.control("/clock", { advance: "8 days" });
      expect(await prompt.error("characters")).toMatchObject({
        code: "not-signed-in",
        next: "sign in with: gamedata login",
      });
    } finally {
      await service.control("/clock", { reset: true });
    }
  });
});
