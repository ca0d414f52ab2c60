/** Signing in and out in this process, with a browser played by the sandbox's control plane. */
import {
  chmodSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { routes } from "@game-data/contract/routes";
import { userScopes } from "@game-data/contract/Scope";
import { TokenStoreFailed } from "@game-data/oauth-pkce";
import { type RunningSandbox, startSandbox } from "@game-data/sandbox";
import type { ConsentOptions } from "@game-data/sandbox/control";
import { Effect, Fiber, Redacted } from "effect";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { COMMAND_SCOPES } from "../src/commands/SignIn.ts";
import type { Settings } from "../src/config/Settings.ts";
import { tokenStore } from "../src/session/connect.ts";
import { describe as describeSignIn, signIn } from "../src/session/signIn.ts";
import { signOut } from "../src/session/tokens.ts";
import { settingsOf } from "./support/settings.ts";
import { introspect, revoke } from "../src/session/tokens.ts";

let sandbox: RunningSandbox;
let tokens: string;
let stderr: string;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 1 });
});
afterAll(() => sandbox.close());
beforeEach(() => {
  tokens = mkdtempSync(join(tmpdir(), "gamedata-tokens-"));
  stderr = "";
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(tokens, { recursive: true, force: true });
});

const settingsFor = (clientId: string): Settings => {
  const { authUrl, baseUrl } = sandbox;
  const { clientSecret } = sandbox.clients.find((each) => each.clientId === clientId)!;
  return settingsOf({ authUrl, baseUrl, clientId, clientSecret, tokens });
};
const desktop = () => settingsFor("example-desktop");

/** A token that nobody signed in for. */
const issued = async (): Promise<string> => {
  const response = await fetch(`${sandbox.controlUrl}/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ clientId: "example-desktop" }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
};

/** Signs in as the sandbox's first account; `answer` is what its consent page is told. */
const signedIn = async (
  scopes: Parameters<typeof signIn>[1]["scopes"],
  answer: ConsentOptions = {},
) => {
  stderr = "";
  const asked = Effect.scoped(signIn(desktop(), { scopes, timeout: 20, open: false }));
  const fiber = Effect.runFork(asked);
  const address = () => /http:\S+\/oauth\/authorize\S+/u.exec(stderr)?.[0];
  await expect.poll(address).toBeDefined();
  await fetch(await sandbox.consent(address()!, answer));
  return Effect.runPromise(Fiber.join(fiber));
};

/** The texts that the token store keeps. */
const kept = (): ReadonlyArray<string> => {
  const database = new DatabaseSync(join(tokens, "tokens.sqlite"), { readOnly: true });
  const rows = database.prepare("select text from grants").all();
  database.close();
  return rows.map(({ text }) => String(text));
};

describe("signing in", () => {
  it("tells the address, keeps the tokens to their owner, and tells everything but them", async () => {
    const set = await signedIn(userScopes);
    expect(stderr).toContain("open this page in your browser");
    const [text, ...others] = kept();
    expect(others).toEqual([]);
    for (const file of readdirSync(tokens))
      expect(statSync(join(tokens, file)).mode & 0o777).toBe(0o600);
    const told = describeSignIn(set, desktop());
    expect(told).toMatchObject({
      username: "Emberlyn#4071",
      clientId: "example-desktop",
      store: { kind: "file", path: tokens },
    });
    expect(Date.parse(told.expiresAt!)).toBeGreaterThan(Date.now());
    expect(JSON.stringify(told) + stderr).not.toContain(Redacted.value(set.accessToken));
    expect(text).toContain(Redacted.value(set.accessToken));
  });

  it("asks for the scopes of the commands that act for a user, and for no more", () => {
    // The operations of each call of gameApi; the only template is that of the stash commands.
    const named = globSync(join(import.meta.dirname, "../src/**/*.ts"))
      .flatMap((file) => [...readFileSync(file, "utf8").matchAll(/\bgameApi\(([^)]+)\)/gu)])
      .flatMap(([, names]) => [...names!.matchAll(/(["`])([^"`]+\.\w+)\1/gu)])
      .map(
        ([, , name]) => new RegExp(`^${name!.replace(/\$\{\w+\}/u, "(?:s|guildS)tashes")}$`, "u"),
      );
    const operations = Object.entries(routes).filter(([name]) =>
      named.some((each) => each.test(name)),
    );
    expect(named.every((each) => operations.some(([name]) => each.test(name)))).toBe(true);
    const needed = operations
      .flatMap(([, { scopes }]): ReadonlyArray<string> => scopes)
      .filter((scope) => scope.startsWith("account:"));
    expect([...new Set(needed), "oauth:revoke", "oauth:introspect"].toSorted()).toEqual(
      COMMAND_SCOPES.toSorted(),
    );
  });

  it("seals the tokens with a key of the keychain where the setting says so", async () => {
    const root = new Uint8Array(32).fill(7);
    const from = { ...desktop(), keychain: true };
    const text = await Effect.runPromise(
      Effect.gen(function* () {
        const store = yield* tokenStore(from, () => Effect.succeed(root));
        yield* store.write("key", undefined, { version: "1", text: "refresh-sentinel" });
        return (yield* store.read("key"))?.text;
      }),
    );
    expect(text).toBe("refresh-sentinel");
    expect(kept().join()).not.toContain("sentinel");
  });

  it("sends nobody anywhere when the keychain refuses", async () => {
    const refused = tokenStore(
      { ...desktop(), keychain: true },
      () => new TokenStoreFailed({ operation: "open", reason: "the keychain refused" }),
    );
    expect((await Effect.runPromise(Effect.flip(refused)))._tag).toBe("TokenStoreFailed");
  });

  it("fails when consent is refused, and keeps nothing", async () => {
    await expect(signedIn(["account:profile"], { deny: true })).rejects.toMatchObject({
      _tag: "AccessDenied",
    });
    expect(kept()).toEqual([]);
  });

  it("writes to the store and reads from it before anybody is sent anywhere", async () => {
    utimesSync(tokens, 0, 0);
    let written: number | undefined;
    vi.mocked(process.stderr.write).mockImplementation((text) => {
      if (String(text).includes("/oauth/authorize")) written ??= statSync(tokens).mtimeMs;
      return true;
    });
    const failed = signIn(desktop(), { scopes: ["account:profile"], timeout: 1, open: false });
    await Effect.runPromise(Effect.flip(Effect.scoped(failed)));
    expect(written).toBeGreaterThan(0);
    expect(kept()).toEqual([]);
  });

  it("sends nobody anywhere when the store cannot be had", async () => {
    chmodSync(tokens, 0o500);
    const isRoot = process.getuid?.() === 0;
    const from = { ...desktop(), tokens: isRoot ? "/dev/null/tokens" : tokens };
    const failed = signIn(from, { scopes: ["account:profile"], timeout: 1, open: false });
    const error = await Effect.runPromise(Effect.flip(Effect.scoped(failed)));
    expect(error._tag).toBe("TokenStoreFailed");
    expect(stderr).not.toContain("/oauth/authorize");
    chmodSync(tokens, 0o700);
  });

  it("is not for a client with a secret", async () => {
    const failed = signIn(settingsFor("example-web"), { scopes: ["account:profile"], timeout: 1 });
    const error = await Effect.runPromise(Effect.flip(Effect.scoped(failed)));
    expect(error).toMatchObject({ code: "no-user-needed", exitCode: 78 });
  });

  it("gives up when the browser does not come back", async () => {
    const failed = signIn(desktop(), { scopes: ["account:profile"], timeout: 1, open: false });
    const error = await Effect.runPromise(Effect.flip(Effect.scoped(failed)));
    expect(error._tag).toBe("LoopbackListenFailed");
  });
});

describe("signed in", () => {
  it("asks about its own token and about another, and ends either", async () => {
    await signedIn(userScopes);
    const other = await issued();
    const ask = (token?: string) => Effect.runPromise(introspect(desktop(), token));
    expect(await ask()).toMatchObject({ active: true, username: "Emberlyn#4071" });
    expect(await ask(`${other}\n`)).toMatchObject({ active: true });
    await Effect.runPromise(revoke(desktop(), `${other}\n`));
    expect(await ask(other)).toMatchObject({ active: false });
    const nothing = await Effect.runPromise(Effect.flip(introspect(desktop(), " \n")));
    expect(nothing).toMatchObject({ code: "request-invalid" });
    await Effect.runPromise(revoke(desktop()));
    expect(kept()).toEqual([]);
  });

  it("needs the scope to ask, and says how to get it", async () => {
    await signedIn(["account:profile"]);
    const error = await Effect.runPromise(Effect.flip(introspect(desktop())));
    expect(error).toMatchObject({
      code: "scope-missing",
      next: "sign in for it: gamedata login --scope oauth:introspect",
    });
  });

  it("signs out: revoked where the scope permits it, forgotten in any case", async () => {
    await signedIn(userScopes);
    expect(await Effect.runPromise(signOut(desktop()))).toEqual({ forgotten: 1, revoked: true });
    await signedIn(["account:profile"]);
    expect(await Effect.runPromise(signOut(desktop()))).toEqual({ forgotten: 1, revoked: false });
    expect(kept()).toEqual([]);
    expect(await Effect.runPromise(signOut(desktop()))).toEqual({ forgotten: 0, revoked: false });
  });
});
