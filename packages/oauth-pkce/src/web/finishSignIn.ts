/**
 * From a callback to a session: one exchange, then steps that may be repeated anywhere.
 *
 * | step                                   | if it fails, or the process ends here                  |
 * | -------------------------------------- | ------------------------------------------------------ |
 * | 1 claim the flow, by compare-and-set   | nothing was sent; a reload tries again                 |
 * | 2 exchange the code                    | the process ended: these tokens are lost               |
 * | 3 hold the tokens in memory            | a reload at this server goes on with step 4            |
 * | 4 write the tokens                     | a reload at any server goes on with step 5             |
 * | 5 add the session to the user's row    | the same                                               |
 * | 6 write the outcome into the claim     | nothing is missing                                     |
 *
 * The session's secret was drawn at the login and is in the browser's flow cookie, so steps 4 to 6
 * give the same result wherever they run. Tokens that stay unwritten for ten minutes, or until the
 * sign-in closes, are revoked if their scopes allow it; else a log line says so.
 *
 * Limit: with `tokensPer: "user"` the tokens do not tell whose flow they are of, so another server
 * cannot go on after step 4.
 */
import * as Effect from "effect/Effect";
import {
  OAuthTransportError,
  ServerUnavailable,
  StateMismatch,
  type OAuthError,
} from "../Errors.ts";
import { thrice, writeSurely } from "../internal/boundedStore.ts";
import { digest } from "../internal/digest.ts";
import { decode } from "../internal/GrantRecord.ts";
import { parseObject } from "../internal/json.ts";
import { serverTime } from "../internal/serverClock.ts";
import { later } from "../internal/within.ts";
import type { Entry, TokenSet } from "../Model.ts";
import * as PendingAuthorization from "../PendingAuthorization.ts";
import * as PkceFlow from "../PkceFlow.ts";
import { runPromise } from "../promise/runPromise.ts";
import * as Revocation from "../Revocation.ts";
import type { SessionCookie } from "./cookies.ts";
import {
  EXCHANGE_MILLIS,
  rowName,
  sharedGrantName,
  toOAuthError,
  type SignInSetting,
} from "./SignInSetting.ts";
import { withSession, type SessionRow } from "./UserRow.ts";
import { changeRow, dropSessions, endGrants } from "./UserSessions.ts";

/** A flow whose browser has come back. */
export interface Flow {
  readonly id: string;
  readonly pending: PendingAuthorization.PendingAuthorization;
  /** The secret of the session to be. */
  readonly secret: string;
  readonly callback: URL;
  /** The session that the browser has now; it ends, because its secret may be known. */
  readonly old: SessionCookie | undefined;
}

/** Where the session is: its row, and the seconds that are left to it, if they are known. */
export interface Finished {
  readonly row: string;
  readonly seconds?: number;
  /** Whether it was read from the claim: the session may have ended since. */
  readonly isOld?: boolean;
}

/** The callbacks of one server. */
export type Finisher = ReturnType<typeof makeFinisher>;

/** What a claim in the store says. */
type Claim = "open" | { readonly done: Finished } | { readonly failed: OAuthError["_tag"] };

/** Longer than any server, by its own clock, takes the flow for open: a code is sent once. */
const CLAIM_MILLIS = 2_400_000;
/** Another server has answered, or is gone, so long after its exchange must have ended. */
const GRACE_MILLIS = 30_000;
const FIRST_POLL_MILLIS = 100;
const MAX_POLL_MILLIS = 1_000;

/** Makes the state of one server. */
export const makeFinisher = (setting: SignInSetting) => {
  const held = makeHeldFlows((tokens) => giveUp(setting, tokens), setting.background);
  const finish = async (flow: Flow): Promise<Finished> => {
    const { id } = flow;
    const version = held.versionOf(id);
    if (held.tokensOf(id) === undefined) {
      if (!(await claim(setting, id, version))) return follow(setting, flow);
      const exchanged = exchange(setting, flow).catch((error: unknown) => {
        held.forget(id);
        const failure = toOAuthError(error);
        setting.background(settle(setting, { id, version }, { failed: failure._tag }));
        throw failure;
      });
      held.hold(id, await exchanged);
    }
    // Read back: whoever does not hold them loses them when the store fails.
    const tokens = held.tokensOf(id);
    if (tokens === undefined) throw new StateMismatch();
    await keepTokens(setting, flow, tokens);
    const done = await addSession(setting, flow, tokens);
    held.forget(id);
    setting.background(settle(setting, { id, version }, { done }));
    return done;
  };
  return {
    /** Runs the steps that are missing. Rejects with an `OAuthError`. */
    finish,
    /** Whether this server holds tokens of a flow that the store would not take. */
    isHolding: (id: string) => held.tokensOf(id) !== undefined,
    /** Revokes the tokens that it still holds. */
    release: held.release,
  };
};

/** Milliseconds for which a flow is held. */
const HELD_MILLIS = 600_000;

/**
 * What one server knows of the flows that it claimed: the version of each claim, the same at every
 * try, and tokens that no store has taken yet. `giveUp` ends tokens that nobody will use.
 */
const makeHeldFlows = (
  giveUp: (tokens: TokenSet) => Promise<void>,
  background: (work: Promise<unknown>) => void,
) => {
  const flows = new Map<string, { readonly version: string; tokens?: TokenSet }>();
  const flowOf = (id: string) => {
    const found = flows.get(id);
    if (found !== undefined) return found;
    const made = { version: crypto.randomUUID() };
    flows.set(id, made);
    later(HELD_MILLIS, () => background(end(id)));
    return made;
  };
  const end = async (id: string): Promise<void> => {
    const tokens = flows.get(id)?.tokens;
    flows.delete(id);
    if (tokens !== undefined) await giveUp(tokens);
  };
  return {
    /** The version under which this server claims a flow. */
    versionOf: (id: string) => flowOf(id).version,
    tokensOf: (id: string) => flows.get(id)?.tokens,
    /** Keeps tokens until `forget` says that they are stored. */
    hold: (id: string, tokens: TokenSet) => void flows.set(id, { ...flowOf(id), tokens }),
    forget: (id: string) => void flows.delete(id),
    /** Gives up all tokens. */
    release: async () => void (await Promise.all([...flows.keys()].map(end))),
  };
};

/** Step 1. Returns whether the flow is this server's to exchange. */
const claim = async ({ keyOf, store }: SignInSetting, id: string, version: string) =>
  (await writeSurely(store, {
    key: keyOf("flow", id),
    expected: undefined,
    next: { version, text: JSON.stringify("open" satisfies Claim), ttlMillis: CLAIM_MILLIS },
  })) === undefined;

/** Step 2. The claim in the store is what makes the callback single use. */
const exchange = (setting: SignInSetting, { callback, pending }: Flow): Promise<TokenSet> =>
  runPromise(
    PkceFlow.validateCallback(setting.client, pending, callback).pipe(
      Effect.provideService(PendingAuthorization.UsedStates, {
        claim: () => Effect.succeed(true),
      }),
      Effect.flatMap((valid) => PkceFlow.exchange(setting.exchangeClient, valid)),
    ),
  );

/** Step 4. Tokens that a user's sessions share replace the ones before them. */
const keepTokens = async (setting: SignInSetting, flow: Flow, tokens: TokenSet): Promise<void> => {
  const key = await grantKey(setting, flow, tokens);
  const before = setting.tokensPer === "user" ? await readTokens(setting, key) : undefined;
  await thrice(() => runPromise(setting.pool.get(key).signIn(tokens)));
  if (before && !isSame(before, tokens))
    setting.background(runPromise(Revocation.ifAllowed(setting.client, before)));
};

/** Step 5. Adds the session, in place of the browser's old one. */
const addSession = async (
  setting: SignInSetting,
  flow: Flow,
  tokens: TokenSet,
): Promise<Finished> => {
  const { scopes, sub, username } = tokens;
  const row = await rowOf(flow, tokens);
  const { old } = flow;
  const replaced = old?.row === row ? await digest(old.secret) : undefined;
  const id = await digest(flow.secret);
  const grant = await grantKey(setting, flow, tokens);
  const life = lifeOf(setting, tokens);
  const account = {
    ...(sub !== undefined && { sub }),
    ...(username !== undefined && { username }),
  };
  const { gone } = await changeRow(setting, row, async (before, rowNow) => {
    const now = rowNow ?? (await readClaim(setting, flow.id))?.now ?? Date.now();
    const endsAt = life === Infinity ? undefined : Math.floor(now + life);
    const times = { startedAt: now, seenAt: now, ...(endsAt !== undefined && { endsAt }) };
    const added: SessionRow = { id, ...times, scopes, grant };
    return withSession(before, added, { account, replaced });
  });
  endGrants(setting, row, gone);
  if (old !== undefined && old.row !== row) setting.background(endSession(setting, old));
  return { row, ...(life !== Infinity && { seconds: Math.max(Math.floor(life / 1000), 1) }) };
};

/** Ends the session that a browser holds. */
export const endSession = async (
  setting: SignInSetting,
  { row, secret }: SessionCookie,
): Promise<void> => {
  const id = await digest(secret);
  await dropSessions(setting, row, (session) => session.id === id);
};

/** Step 6, and the end of a flow that failed. */
const settle = async (
  { keyOf, store }: SignInSetting,
  { id, version }: { readonly id: string; readonly version: string },
  outcome: Exclude<Claim, "open">,
): Promise<void> => {
  const next = {
    version: crypto.randomUUID(),
    text: JSON.stringify(outcome),
    ttlMillis: CLAIM_MILLIS,
  };
  await writeSurely(store, { key: keyOf("flow", id), expected: version, next });
};

/** Another server was first: waits for its outcome, or goes on with the tokens that it wrote. */
const follow = async (setting: SignInSetting, flow: Flow): Promise<Finished> => {
  const until = performance.now() + EXCHANGE_MILLIS + GRACE_MILLIS;
  let pause = FIRST_POLL_MILLIS;
  while (performance.now() < until && !setting.status.isClosed) {
    const found = await outcomeOf(setting, flow).catch((error: unknown) => {
      const failure = toOAuthError(error);
      if (failure._tag !== "TokenStoreFailed") throw failure;
      return undefined;
    });
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(pause * 1.5, MAX_POLL_MILLIS);
  }
  throw new OAuthTransportError({ reason: "the server that sent the code is gone", sent: true });
};

/** The outcome of a flow that another server claimed; `undefined` while there is none. */
const outcomeOf = async (setting: SignInSetting, flow: Flow): Promise<Finished | undefined> => {
  const entry = await readClaim(setting, flow.id);
  if (entry === undefined) throw new StateMismatch();
  const found = parseObject(entry.text) as Partial<Record<"done" | "failed", unknown>> | undefined;
  if (found?.failed !== undefined) throw repeated(found.failed);
  if (found?.done !== undefined) return { ...(found.done as Finished), isOld: true };
  if (setting.tokensPer === "user") return undefined;
  const tokens = await readTokens(setting, await ownGrantKey(setting, flow));
  return tokens && addSession(setting, flow, tokens);
};

/** The failure that another request met, as far as its page tells it. */
const repeated = (tag: unknown): OAuthError =>
  tag === "ServerUnavailable" || tag === "OAuthTransportError"
    ? new ServerUnavailable({ status: 503 })
    : new StateMismatch();

const readClaim = ({ keyOf, store }: SignInSetting, id: string): Promise<Entry | undefined> =>
  thrice(() => store.read(keyOf("flow", id)));

const readTokens = async ({ store }: SignInSetting, key: string) => {
  const entry = await thrice(() => store.read(key));
  return entry && decode(entry.text)?.tokens;
};

const rowOf = ({ secret }: Flow, { sub }: TokenSet) => rowName(sub ?? secret);

const ownGrantKey = async ({ keyOf }: SignInSetting, { secret }: Flow) =>
  keyOf("grant", await digest(secret));

const grantKey = async (setting: SignInSetting, flow: Flow, tokens: TokenSet): Promise<string> =>
  setting.tokensPer === "user" && tokens.sub !== undefined
    ? setting.keyOf("grant", sharedGrantName(await rowOf(flow, tokens)))
    : ownGrantKey(setting, flow);

const isSame = (one: TokenSet, other: TokenSet) =>
  one.issuedAt === other.issuedAt && one.expiresAt === other.expiresAt;

/** Milliseconds for which a session lasts: its tokens' life, and no longer than `absolute`. */
const lifeOf = ({ absoluteMillis, exchangeClient }: SignInSetting, tokens: TokenSet): number => {
  const { consentExpiresAt = Infinity, expiresAt, refreshToken } = tokens;
  const accessEnd = typeof expiresAt === "number" ? expiresAt : Infinity;
  const end = refreshToken === undefined ? accessEnd : consentExpiresAt;
  const now = serverTime(exchangeClient, tokens, Date.now());
  return Math.min(Math.max(end - now, 0), absoluteMillis);
};

/** Ends tokens that no store took. */
const giveUp = async ({ client, log }: SignInSetting, tokens: TokenSet): Promise<void> => {
  const why = tokens.scopes.includes("oauth:revoke")
    ? await runPromise(Revocation.ifAllowed(client, tokens)).then(
        () => undefined,
        (error: unknown) => toOAuthError(error).message,
      )
    : "their scopes lack oauth:revoke";
  if (why !== undefined) log(`Sign-in: tokens could neither be stored nor revoked: ${why}`);
};
