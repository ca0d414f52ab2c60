/** Keys rotate under traffic: nobody is signed out, and the old key can go. */
import { assert, describe, it } from "vitest";
import { makeSealer, resealAll, sealed } from "../../src/makeSealer.ts";
import { memoryStore } from "../../src/promise/index.ts";
import { Browser, makeApp, useApp, whoami, withApp } from "./app.ts";

const { oauth } = useApp();
const root = (byte: number) => new Uint8Array(32).fill(byte);
const keys = { old: root(1), new: root(2) };

describe("rotation", () => {
  it("rotates while sessions renew, and loses none", async () => {
    const plain = memoryStore();
    const before = await makeSealer({ current: "old", keys: { old: keys.old }, purpose: "tokens" });
    const during = await makeSealer({ current: "new", keys, purpose: "tokens" });
    const after = await makeSealer({ current: "new", keys: { new: keys.new }, purpose: "tokens" });
    const users = Array.from({ length: 20 }, (_, at) => `user:${at}`);
    for (const user of users)
      await sealed(plain, before).write(user, undefined, { version: "0", text: "0" });
    const rotation = { isOver: false };
    const traffic = users.map(async (user) => {
      const store = sealed(plain, during);
      let count = 0;
      while (!rotation.isOver || count < 5) {
        const found = await store.read(user);
        const next = { version: crypto.randomUUID(), text: `${Number(found?.text) + 1}` };
        if (await store.write(user, found?.version, next)) count += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
      return count;
    });
    await resealAll(plain, during, users);
    rotation.isOver = true;
    const counts = await Promise.all(traffic);
    for (const [at, user] of users.entries())
      assert.strictEqual((await sealed(plain, after).read(user))?.text, `${counts[at]}`);
  });

  it("keeps sessions, and flows that began before it", async () => {
    const written = new Set<string>();
    const plain = memoryStore();
    const store: typeof plain = {
      read: plain.read,
      write: (key, ...rest) => {
        written.add(key);
        return plain.write(key, ...rest);
      },
    };
    const before = await makeApp(oauth, {
      store,
      keys: { current: "old", keys: { old: keys.old } },
    });
    const during = await makeApp(oauth, { store, keys: { current: "new", keys } });
    const after = await makeApp(oauth, {
      store,
      keys: { current: "new", keys: { new: keys.new } },
    });
    const user = new Browser(withApp(before));
    await user.signIn();
    const late = new Browser(withApp(before));
    const callback = await late.consent("/auth/login?returnTo=/late");
    const moved = late.copy(withApp(during));
    assert.strictEqual((await moved.visit(callback)).headers.get("location"), "/late");
    assert.strictEqual(await whoami(user.copy(withApp(during))), "Account");
    const sealer = await makeSealer({ current: "new", keys, purpose: "tokens" });
    await resealAll(plain, sealer, written);
    for (const browser of [user, moved])
      assert.strictEqual(await whoami(browser.copy(withApp(after))), "Account");
  });
});
