/**
 * Two servers on one store, with many users who sign in, look at pages and sign out at once: nobody
 * loses a session.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeWithService } from "@game-data/test-support";
import { afterAll, assert, beforeAll, describe, it } from "vitest";
import { openStore, type OpenStore } from "../../chaos/stores.ts";
import { Browser, makeApp, useApp, whoami, withApp, OUT } from "./app.ts";

const { oauth } = useApp();
const USERS = 3;
const BROWSERS = 4;

const holds = (address: () => string) => {
  let store: OpenStore;
  beforeAll(async () => {
    store = await openStore(address());
  });
  afterAll(() => store.close());

  it("two servers on one store lose no session of users who sign in and out at once", async () => {
    const run = crypto.randomUUID().slice(0, 8);
    const sub = (user: number) => `${run}-0000-4000-8000-00000000000${user}`;
    // The fake server answers in turn, so users sign in one by one and their browsers at once.
    const servers = [await makeApp(oauth, { store }), await makeApp(oauth, { store })];
    const at = (turn: number) => withApp(servers[turn % 2]!);
    const browsersOf = new Map<number, Array<Browser>>();
    for (let user = 0; user < USERS; user++) {
      oauth.state.sub = sub(user);
      const browsers = Array.from({ length: BROWSERS }, (_, turn) => new Browser(at(turn)));
      const responses = await Promise.all(browsers.map((browser) => browser.signIn()));
      for (const { status } of responses) assert.strictEqual(status, 303);
      browsersOf.set(user, browsers);
    }
    const all = [...browsersOf.values()].flat();
    const pages = all.map((browser, turn) => whoami(browser.copy(at(turn + 1))));
    assert.deepStrictEqual(new Set(await Promise.all(pages)), new Set(["Account"]));
    // Half of them sign out, at the server that did not sign them in.
    const leaving = [...browsersOf.values()].flatMap(([first, second]) => [first!, second!]);
    await Promise.all(
      leaving.map((browser, turn) => browser.copy(at(turn + 1)).visit("/auth/logout", OUT)),
    );
    for (const [user, browsers] of browsersOf) {
      const names = await Promise.all(browsers.map(whoami));
      assert.deepStrictEqual(names, ["nobody", "nobody", "Account", "Account"]);
      const ends = await Promise.all(servers.map((server) => server.sessions(sub(user)).endAll()));
      // Both servers may count a session that both end at once.
      assert.isAtLeast(ends[0]! + ends[1]!, BROWSERS / 2);
      assert.deepStrictEqual(await servers[0]!.sessions(sub(user)).list(), []);
    }
    await Promise.all(servers.map((server) => server.close()));
  });
};

describe("two servers on a file", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "two-servers-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  holds(() => `file:${folder}`);
});

describeWithService("redis", "two servers on Redis", (url) => holds(() => url));
describeWithService("postgres", "two servers on PostgreSQL", (url) => holds(() => url));
