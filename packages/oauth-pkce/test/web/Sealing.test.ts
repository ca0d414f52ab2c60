/** A sealed text opens for its key, purpose and entry only, and keys rotate under traffic. */
import { assert, describe, it } from "vitest";
import { makeSealer } from "../../src/makeSealer.ts";
import { memoryStore } from "../../src/promise/index.ts";
import { Browser, cookieOf, makeApp, useApp, whoami, withApp } from "./app.ts";

const { oauth, open } = useApp();
const root = (first: number) => Uint8Array.from({ length: 32 }, (_, at) => first + at);
const keys = { old: root(1), new: root(2) };

describe("a sealer", () => {
  it("makeSealer rejects with ConfigurationInvalid if a key is missing or not random", async () => {
    const broken = [
      { current: "none", keys, purpose: "tokens" },
      { current: "a", keys: { a: new Uint8Array(31) }, purpose: "tokens" },
      { current: "a", keys: { a: "not base64 %%" }, purpose: "tokens" },
      { current: "a", keys: { a: new Uint8Array(32) }, purpose: "tokens" },
      { current: "a", keys: { a: new Uint8Array(32).fill(7) }, purpose: "tokens" },
    ];
    for (const options of broken)
      await makeSealer(options).then(
        () => assert.fail("it was made"),
        (error) => assert.strictEqual(error._tag, "ConfigurationInvalid"),
      );
  });

  it("makeSealer accepts keys in base64 too", async () => {
    const bytes = await makeSealer({ current: "k", keys: { k: root(9) }, purpose: "tokens" });
    const text = btoa(String.fromCharCode(...root(9)));
    const same = await makeSealer({ current: "k", keys: { k: text }, purpose: "tokens" });
    assert.strictEqual(await same.open(await bytes.seal("s", "k"), "k"), "s");
  });
});

it("a sealer opens the texts of earlier builds, with a key in base64 that has + and /", async () => {
  const k = "+yBFao+02f4jSG2St9wBJktwlbrfBClOc5i94gcsUXY=";
  const text =
    "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiayIsInB1cnBvc2UiOiJ0b2tlbnMiLCJjdHgiOiJxOE9rZTRyUmk0VmNhSDJjb3NZSkh1Y3hMYlZXTUNHVUtsZXRxSW5JZXpRIn0..QDlT76woxcwiuG0B.gxKUgA.iNLJd8K5dGWqSzQ2hJfPqQ";
  const sealer = await makeSealer({ current: "k", keys: { k }, purpose: "tokens" });
  assert.strictEqual(await sealer.open(text, "user:1"), "text");
});

describe("sealed-context", () => {
  it("a sealer opens a text only with the same context, purpose and key", async () => {
    const sealer = await makeSealer({ current: "new", keys, purpose: "tokens" });
    const text = await sealer.seal("secret", "user:1");
    assert.deepStrictEqual(await sealer.open(text, "user:1"), "secret");
    assert.isUndefined(await sealer.open(text, "user:2"));
    const flow = await makeSealer({ current: "new", keys, purpose: "flow" });
    assert.isUndefined(await flow.open(text, "user:1"));
    const stranger = await makeSealer({ current: "a", keys: { a: root(3) }, purpose: "tokens" });
    assert.isUndefined(await stranger.open(text, "user:1"));
    for (const id of ["__proto__", "constructor", "toString"]) {
      const header = { alg: "dir", enc: "A256GCM", kid: id };
      const forged = [
        btoa(JSON.stringify(header)).replaceAll("=", ""),
        ...text.split(".").slice(1),
      ];
      assert.isUndefined(await sealer.open(forged.join("."), "user:1"));
    }
    for (let at = 0; at < text.length; at += 7) {
      const changed = text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
      assert.isUndefined(await sealer.open(changed, "user:1"), `character ${at}`);
    }
    for (const other of ["", ".", "{}", "a.b.c.d.e"])
      assert.isUndefined(await sealer.open(other, "user:1"));
  });

  it("a sign-in refuses a sealed flow that was copied into the cookie of another flow", async () => {
    const { browser } = await open();
    const first = await browser.consent("/auth/login?returnTo=/first");
    const [name = "", sealed = ""] = [...browser.cookies][0] ?? [];
    await browser.consent("/auth/login?returnTo=/second");
    const other = [...browser.cookies.keys()].find((each) => each !== name) ?? "";
    const swapped = browser.cookies.get(other) ?? "";
    browser.cookies.set(name, swapped);
    assert.strictEqual((await browser.visit(first)).status, 400);
    assert.strictEqual(oauth.state.exchanges, 0);
    browser.cookies.set(name, sealed);
    assert.strictEqual((await browser.visit(first)).headers.get("location"), "/first");
  });

  it("a session entry that was copied over another user's entry signs nobody in", async () => {
    const store = memoryStore();
    const keysOf: Array<string> = [];
    const { browser: alice, other: mallory } = await open({
      store: {
        read: store.read,
        write: (key, ...rest) => {
          if (key.includes(":grant:") && !keysOf.includes(key)) keysOf.push(key);
          return store.write(key, ...rest);
        },
      },
    });
    await alice.signIn();
    oauth.state.sub = "3f1f4c5e-0000-4000-8000-000000000002";
    await mallory.signIn();
    const [ofAlice = "", ofMallory = ""] = keysOf;
    const stolen = await store.read(ofAlice);
    const before = await store.read(ofMallory);
    const next = { version: "copied", text: stolen?.text ?? "" };
    assert.isTrue(await store.write(ofMallory, before?.version, next));
    assert.strictEqual(await whoami(mallory), "nobody");
    assert.strictEqual(await whoami(alice), "Account");
  });
});

it("a rotation of root keys keeps sessions, and flows that began before it", async () => {
  const store = memoryStore();
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
  // A session is sealed with the new key by its next renewal, or by its next sign-in.
  assert.strictEqual(await whoami(user.copy(withApp(after))), "nobody");
  assert.strictEqual(await whoami(moved.copy(withApp(after))), "Account");
  const state = await during.user(cookieOf(user));
  assert(state._tag === "SignedIn");
  await state.user.session.renew(await state.user.session.accessToken());
  assert.strictEqual(await whoami(user.copy(withApp(after))), "Account");
});

it("a rotation of root keys while two servers renew the same sessions loses no session", async () => {
  const store = memoryStore();
  const before = await makeApp(oauth, { store, keys: { current: "old", keys } });
  const during = await makeApp(oauth, { store, keys: { current: "new", keys } });
  const after = await makeApp(oauth, { store, keys: { current: "new", keys: { new: keys.new } } });
  const users = Array.from({ length: 8 }, () => new Browser(withApp(before)));
  for (const user of users) await user.signIn();
  const renew = async (app: typeof before, user: Browser) => {
    const state = await app.user(cookieOf(user));
    assert(state._tag === "SignedIn");
    return state.user.session.renew(await state.user.session.accessToken());
  };
  await Promise.all(users.flatMap((user) => [renew(before, user), renew(during, user)]));
  for (const user of users) {
    await renew(during, user);
    assert.strictEqual(await whoami(user.copy(withApp(after))), "Account");
  }
});
