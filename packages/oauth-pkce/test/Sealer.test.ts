/** Sealing: its keys, and what a stolen store shows. */
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Effect, Redacted } from "effect";
import { assert, describe, it } from "vitest";
import { OAuthClient, Session, TokenStore } from "../src/index.ts";
import { makeSealer } from "../src/makeSealer.ts";
import { openFileStore } from "../src/node/FileStore.ts";

const root = (byte: number) => new Uint8Array(32).fill(byte);
const keys = { old: root(1), new: root(2) };

describe("sealing", () => {
  it("fails at once without a usable key", async () => {
    const broken = [
      { current: "none", keys, purpose: "tokens" },
      { current: "a", keys: { a: new Uint8Array(31) }, purpose: "tokens" },
      { current: "a", keys: { a: "not base64 %%" }, purpose: "tokens" },
    ];
    for (const options of broken)
      await makeSealer(options).then(
        () => assert.fail("it was made"),
        (error) => assert.strictEqual(error._tag, "ConfigurationInvalid"),
      );
  });

  it("takes keys as base64 too", async () => {
    const bytes = await makeSealer({ current: "k", keys: { k: root(9) }, purpose: "tokens" });
    const text = btoa(String.fromCharCode(...root(9)));
    const same = await makeSealer({ current: "k", keys: { k: text }, purpose: "tokens" });
    assert.strictEqual((await same.open(await bytes.seal("s", "k"), "k"))?.text, "s");
  });

  it("C23: leaves no token in clear in a stolen folder, and opens nothing of a copied row", async () => {
    const folder = await mkdtemp(join(tmpdir(), "stolen-"));
    const sealer = await makeSealer({ current: "new", keys, purpose: "tokens" });
    const store = await openFileStore(folder, { sealer });
    const client = await Effect.runPromise(
      OAuthClient.publicClient({
        authUrl: "https://auth.example.com",
        clientId: "desktop",
        redirectUri: "http://127.0.0.1/callback",
      }),
    );
    const session = (key: string) =>
      Session.forUser(client, { store: TokenStore.fromBackend(store), key });
    for (const name of ["alice", "bob"])
      await Effect.runPromise(
        session(name).signIn({
          accessToken: Redacted.make(`access-sentinel-${name}`),
          refreshToken: Redacted.make(`refresh-sentinel-${name}`),
          expiresAt: "never",
          issuedAt: 0,
          scopes: [],
        }),
      );
    const token = await Effect.runPromise(session("alice").accessToken);
    assert.strictEqual(Redacted.value(token), "access-sentinel-alice");
    for (const file of await readdir(folder)) {
      const bytes = await readFile(join(folder, file));
      assert.notInclude(bytes.toString("latin1"), "sentinel", file);
    }
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(join(folder, "tokens.sqlite"));
    database.exec(
      "update grants set text = (select text from grants where key = 'bob') where key = 'alice'",
    );
    database.close();
    const error = await Effect.runPromise(Effect.flip(session("alice").accessToken));
    assert.strictEqual(error._tag, "NotSignedIn");
    await store.close();
    await rm(folder, { recursive: true });
  });
});
