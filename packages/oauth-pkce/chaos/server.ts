/**
 * One application server of the soak: it wants a fresh token of every grant, all the time.
 *
 * Arguments: auth URL, grants per combination, then `name=policy@address` for each combination.
 * Tells its parent about ended grants. SIGTERM drains: renewals in flight are finished.
 */
import { setTimeout as sleep } from "node:timers/promises";
import * as Effect from "effect/Effect";
import { OAuthClient, Session, TokenRequest, TokenStore } from "../src/index.ts";
import { decode, encode } from "../src/internal/Grant.ts";
import { openStore, type OpenStore } from "./stores.ts";
import { combinationsOf, GRANT, TIMES } from "./plan.ts";

const [authUrl = "", grants = "0", ...specs] = process.argv.slice(2);
const client = await Effect.runPromise(
  OAuthClient.publicClient({
    authUrl,
    // Tells the server who sends.
    clientId: `soak-${process.pid}`,
    redirectUri: "http://127.0.0.1/callback",
    timeout: TIMES.timeoutMillis,
  }),
);
const sessions: Array<Session.Session> = [];
const stores: Array<OpenStore> = [];
const state = { isOpen: true };

const tell = (message: object) => process.send?.(message);

/** Renews without the protocol: read, refresh, write. */
const naive = async (store: OpenStore, key: string) => {
  const entry = await store.read(key);
  const tokens = entry && decode(entry.text)?.tokens;
  if (!entry || !tokens || Number(tokens.expiresAt) - Date.now() > TIMES.renewFromMillis) return;
  const next = await Effect.runPromise(Effect.result(TokenRequest.refresh(client, tokens)));
  if (next._tag === "Failure") {
    if (next.failure._tag === "InvalidGrant") tell({ ended: key });
    return;
  }
  for (let tries = 0; tries < 5; tries++) {
    const current = await store.read(key);
    const text = encode({ v: 3, tokens: next.success });
    if (await store.write(key, current?.version, { version: crypto.randomUUID(), text })) return;
  }
};

const serve = async (use: () => Promise<void>) => {
  await sleep(Math.random() * 100);
  while (state.isOpen) {
    await use();
    await sleep(60 + Math.random() * 80);
  }
};

/**
 * Adds to each record the process that wrote it. A record that ends a login names the process whose
 * intent was given up, so that the parent can tell whether that process had been killed.
 */
const signed = (store: OpenStore): OpenStore => {
  const intents = new Map<string, { readonly version: string; readonly pid: number }>();
  return {
    ...store,
    read: async (key) => {
      const entry = await store.read(key);
      if (entry) intents.set(key, { version: entry.version, pid: JSON.parse(entry.text).pid });
      return entry;
    },
    write: (key, expected, next) => {
      const record = JSON.parse(next.text);
      const before = intents.get(key);
      const isGivenUp = before !== undefined && record.ended?.intent === before.version;
      const pid = isGivenUp ? before.pid : process.pid;
      return store.write(key, expected, { ...next, text: JSON.stringify({ ...record, pid }) });
    },
  };
};

const opened = new Map<string, OpenStore>();
for (const { address, name, policy } of combinationsOf(specs)) {
  const store = opened.get(address) ?? signed(await openStore(address));
  opened.set(address, store);
  stores.push(store);
  for (let at = 0; at < Number(grants); at++) {
    const key = GRANT.key(name, at);
    if (policy === "naive") {
      void serve(() => naive(store, key).catch(() => undefined));
      continue;
    }
    const session = Session.forUser(client, {
      store: TokenStore.fromBackend(store),
      key,
      onLostAnswer: policy,
      refreshBeforeExpiry: TIMES.renewFromMillis,
    });
    sessions.push(session);
    void serve(async () => {
      const got = await Effect.runPromise(Effect.result(session.accessToken));
      if (got._tag === "Failure" && got.failure._tag === "InvalidGrant") tell({ ended: key });
    });
  }
}

process.on("SIGTERM", async () => {
  state.isOpen = false;
  await Effect.runPromise(
    Effect.all(
      sessions.map(({ close }) => close),
      { concurrency: "unbounded" },
    ),
  );
  process.exit(0);
});
tell({ ready: true });
