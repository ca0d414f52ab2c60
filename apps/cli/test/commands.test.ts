/** The parts that talk to a service, in programs that run in this process against a sandbox. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { storedGrants } from "./support/storedGrants.ts";
import { startSandbox, type RunningSandbox } from "@game-data/sandbox";
import { Effect } from "effect";
import { Argument, Command } from "effect/cli";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  doctorCommand,
  logoutCommand,
  tokenCommand,
  whoamiCommand,
} from "../src/commands/Account.ts";
import { ChildEnded } from "@game-data/terminal/Failure";
import { fromTag } from "@game-data/terminal/toFailure";
import { follow, statusOf } from "../src/session/followStream.ts";
import { kindNames, schemasOf } from "../src/session/recordKinds.ts";
import { liveLimits } from "../src/session/liveLimits.ts";
import { run } from "@game-data/terminal/runMain";
import { line } from "@game-data/terminal/Output";
import { gameApi, present } from "../src/session/apiContext.ts";
import { connected, settings } from "@game-data/terminal/Settings";
import { attempt } from "../src/session/treeLinks.ts";
import { parseLink } from "@game-data/tree-link/text";

let sandbox: RunningSandbox;
let home: string;
let stdout: string;
let stderr: string;
beforeAll(async () => {
  sandbox = await startSandbox({ seed: 1 });
});
afterAll(() => sandbox.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "gamedata-service-"));
  const web = sandbox.clients.find(({ clientId }) => clientId === "example-web")!;
  const env = {
    HOME: home,
    GAME_DATA_AUTH_URL: sandbox.authUrl,
    GAME_DATA_BASE_URL: sandbox.baseUrl,
    GAME_DATA_CLIENT_ID: web.clientId,
    GAME_DATA_CLIENT_SECRET: web.clientSecret!,
    GAME_DATA_TOKENS: join(home, "tokens"),
    GAME_DATA_TOKEN: "",
    GAME_DATA_CONFIG: "",
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  stdout = stderr = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text, ...rest: Array<unknown>) => {
    stdout += String(text);
    const done = rest.at(-1);
    if (typeof done === "function") done();
    return true;
  });
  vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(home, { recursive: true });
});

const ranks = { name: "ranks", version: "1.0.0" };

const leagueCommand = Command.make(
  "league",
  { name: Argument.String("name") },
  Effect.fnUntraced(function* ({ name }) {
    const api = yield* gameApi("service:leagues");
    const found = yield* api.leagues.get({ league: name });
    yield* line((yield* present(found, `league ${name}`, "ranks leagues")).id);
  }),
).pipe(connected);

const program = Command.make("ranks").pipe(
  Command.withSubcommands([
    leagueCommand,
    whoamiCommand,
    tokenCommand,
    logoutCommand,
    doctorCommand,
    Command.make("fault", {}, () => Effect.die(new Error("oops"))),
    Command.make("child", {}, () => Effect.fail(new ChildEnded({ exitCode: 9 }))),
  ]),
);

const exec = (...args: ReadonlyArray<string>) => Effect.runPromise(run(program, ranks, args));
const failed = (...args: ReadonlyArray<string>) =>
  Effect.runPromise(Effect.flip(run(program, ranks, args)));
/** Runs what a command would, with the settings of the environment. */
const withSettings = <A>(
  use: (from: Effect.Success<typeof settings>) => Effect.Effect<A, any, any>,
): Promise<A> => {
  let result: A | undefined;
  const command = Command.make("use", {}, () =>
    Effect.flatMap(settings, (from) => Effect.map(use(from), (value) => void (result = value))),
  ).pipe(connected) as Command.Command<"use", object, object, never>;
  return Effect.runPromise(Effect.as(run(command, ranks, []), undefined)).then(() => result as A);
};

describe("a program of one's own", () => {
  it("has a client from the settings, for the scopes of the command", async () => {
    await exec("league", "Standard");
    expect(stdout).toBe("Standard\n");
    expect(storedGrants(join(home, "tokens"))).toHaveLength(1);
  });

  it("fails in words and with the code of the catalogue", async () => {
    expect(await failed("league", "Nowhere")).toMatchObject({ exitCode: 66, code: "not-found" });
    expect(stderr).toBe(
      "error: There is no league Nowhere.\n→ see what there is with: ranks leagues\n",
    );
  });

  it("tells a wrong command line in a line, and help where it is asked for", async () => {
    expect(await failed("leage")).toMatchObject({ exitCode: 64, code: "usage" });
    expect(stderr).toContain("→ see what it takes with: ranks --help");
    stderr = "";
    const print = vi.spyOn(console, "log").mockReturnValue(undefined);
    await exec("league", "--help");
    expect(print.mock.lastCall).toEqual([expect.stringContaining("--base-url")]);
    await exec();
    expect(print.mock.lastCall).toEqual([expect.stringContaining("whoami")]);
    await exec("--version");
    expect(print.mock.lastCall).toEqual([expect.stringContaining("1.0.0")]);
    expect(stderr).toBe("");
  });

  it("ends with 70 on a fault of its own, and quietly with the code of a child", async () => {
    expect(await failed("fault")).toMatchObject({ exitCode: 70, code: "internal" });
    expect(stderr).toContain("oops");
    stderr = "";
    expect(await failed("child")).toMatchObject({ exitCode: 9 });
    expect(stderr).toBe("");
  });

  it("has the ready commands, as an application and with a token of the user's", async () => {
    await exec("doctor", "--json");
    const states = (JSON.parse(stdout) as Array<{ state: string }>).map(({ state }) => state);
    expect(states).toEqual(["good", "doubtful", "good", "good", "good", "good", "good"]);
    stdout = "";
    await exec("token", "introspect", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ active: true, clientId: "example-web" });
    const response = await fetch(`${sandbox.controlUrl}/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ clientId: "example-desktop", account: "Quillon#1182" }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    vi.stubEnv("GAME_DATA_TOKEN", token);
    stdout = "";
    await exec("whoami");
    expect(stdout).toContain("Quillon#1182");
    vi.stubEnv("GAME_DATA_TOKEN", "");
    stdout = "";
    const held = storedGrants(join(home, "tokens")).map(({ accessToken }) => accessToken);
    await exec("logout", "--json");
    expect(JSON.parse(stdout)).toEqual({ forgotten: 3, revoked: true });
    // All of them, though one of them did the revoking.
    expect(held).toHaveLength(2);
    for (const each of held) {
      const headers = { authorization: `Bearer ${each}` };
      expect((await fetch(`${sandbox.baseUrl}/profile`, { headers })).status).toBe(401);
    }
    expect(stdout + stderr).not.toContain(token);
  });

  it("is told of the first thing to repair, and of how many there are", async () => {
    vi.stubEnv("GAME_DATA_TOKENS", "/dev/null");
    vi.stubEnv("GAME_DATA_BASE_URL", "");
    expect(await failed("doctor")).toMatchObject({ exitCode: 74, code: "token-store-failed" });
    expect(stdout).toMatch(/✗ data API +No service is configured/u);
    expect(stderr).toContain("3 things need repair.");
  });
});

describe("live limits", () => {
  it("are learned route by route, and say which routes the client is not for", async () => {
    const all = await withSettings((from) => liveLimits(from, 5));
    expect(all.length).toBeGreaterThan(4);
    for (const { limits } of all) expect(limits).toBe("learned");
  });
});

describe("following", () => {
  const key = { source: "exchange", realm: "console_a" } as const;

  it("fills a store by its address, and tells where it stands without making one", async () => {
    for (const store of [`sqlite:${join(home, "x.db")}`, `jsonl:${join(home, "pages")}`]) {
      stderr = "";
      const done = await withSettings((from) => follow(from, { key, store, untilCaughtUp: true }));
      expect(done).toMatchObject({ realm: "console_a", ended: "caughtUp" });
      expect(stderr).toContain(`${done.pages} pages, ${done.rows} rows; caught up`);
      const status = await Effect.runPromise(statusOf(key, store));
      expect(status).toMatchObject({ realm: "console_a", pages: done.pages, gaps: 0 });
      expect(Object.keys(status).slice(0, 6)).toEqual([
        "realm",
        "nextChangeId",
        "pages",
        "markets",
        "items",
        "lagSeconds",
      ]);
    }
    const none = join(home, "none.db");
    await Effect.runPromise(Effect.flip(statusOf(key, `sqlite:${none}`)));
    expect(readdirSync(home)).not.toContain("none.db");
  });
});

describe("names", () => {
  it("of kinds are records, bodies and answers", async () => {
    for (const kind of ["Item", "PublicStashPage", "stashes.get"])
      expect(kindNames).toContain(kind);
    expect((await Effect.runPromise(schemasOf("itemFilters.update"))).length).toBe(2);
    expect(kindNames.filter((name) => name.startsWith("oauth."))).toEqual([]);
    expect(await Effect.runPromise(Effect.flip(schemasOf("Thing")))).toMatchObject({
      exitCode: 64,
    });
  });
});

describe("errors of others", () => {
  it("of links name the rule, the place and the field", async () => {
    const errorOf = (text: string) =>
      Effect.runPromise(Effect.flip(attempt(() => parseLink(text))));
    expect(await errorOf("AAAABgMC")).toMatchObject({
      exitCode: 65,
      code: "bad-link",
      details: { reason: "truncated", unit: "byte" },
    });
    expect(await errorOf("ftp://x.example/")).toMatchObject({ code: "bad-link" });
    const defect = attempt(() => {
      throw new TypeError("mine");
    });
    await expect(Effect.runPromise(defect)).rejects.toThrow("mine");
  });

  it("of the sandbox are known by their tags", () => {
    const error = { _tag: "SandboxStartError", message: "the sandbox cannot start: why" };
    expect(fromTag("@game-data/sandbox", error, "wait")).toMatchObject({
      code: "setting-invalid",
      message: "The sandbox cannot start: why.",
      next: "wait",
    });
    expect(fromTag("@game-data/sandbox", { _tag: "New", message: "x" }).code).toBe("internal");
  });
});
