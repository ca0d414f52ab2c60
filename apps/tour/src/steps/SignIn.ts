/**
 * Signing in: the user through the code flow with PKCE, the application with its secret.
 */
import { PkceFlow, type TokenSet } from "@game-data/oauth-pkce";
import { signIn as signInBrowser } from "@game-data/oauth-pkce/node";
import { Clock, Effect } from "effect";
import * as Report from "../Report.ts";
import { applicationOf, must, type Step, type Tour, TourFailure, userOf } from "../Tour.ts";

/** A person consents, and the public client exchanges the code. */
export const signIn: Step = {
  title: "Sign in, as a public client with PKCE",
  speaker: "user",
  run: Effect.fnUntraced(function* (tour) {
    const { client, scopes, session } = userOf(tour);
    const tokens = yield* tour.sandbox === undefined ? throughBrowser(tour) : throughControl(tour);
    yield* session.signIn(tokens);
    yield* describe(client.clientId, tokens);
    const missing = scopes.filter((scope) => !tokens.scopes.includes(scope));
    // An empty list says that the server did not tell.
    yield* must(
      tokens.scopes.length === 0 || missing.length === 0,
      `not granted: ${missing.join(" ")}`,
    );
    return { proof: `${tokens.username ?? "somebody"} consented, and the code became a token` };
  }),
};

/** The application speaks for itself. */
export const signInApplication: Step = {
  title: "The application's own token, by client credentials",
  speaker: "application",
  run: Effect.fnUntraced(function* (tour) {
    const { client, scopes, session } = applicationOf(tour);
    const tokens = yield* session.tokens;
    yield* describe(client.clientId, tokens);
    const granted = scopes.filter((scope) => tokens.scopes.includes(scope)).length;
    return { proof: `${granted} of ${scopes.length} scopes granted, without a user` };
  }),
};

const throughBrowser = (tour: Tour) => {
  const { client, scopes } = userOf(tour);
  return signInBrowser(client, {
    scopes: scopes as ReadonlyArray<PkceFlow.UserScope>,
    show: (url) =>
      Effect.sync(() =>
        Report.say("Open this page in your browser, and consent there:", "", url, ""),
      ),
    // Where nobody watches there is no browser to open either.
    ...(process.stdout.isTTY === true ? {} : { open: () => Effect.void }),
  });
};

const throughControl = Effect.fnUntraced(function* (tour: Tour) {
  const { client, scopes } = userOf(tour);
  const { url, flow } = yield* PkceFlow.start(client, {
    scopes: scopes as ReadonlyArray<PkceFlow.UserScope>,
  });
  Report.say(
    "No browser takes part: the tour itself plays the person and consents through the sandbox's",
    "control plane (POST /control/authorize). Everything else is the real flow.",
  );
  const redirect = yield* Effect.tryPromise({
    try: () => consent(tour, url),
    catch: () => new TourFailure({ message: "the sandbox did not take the consent" }),
  });
  return yield* PkceFlow.exchange(client, yield* PkceFlow.validateCallback(client, flow, redirect));
});

const consent = async ({ sandbox }: Tour, url: string): Promise<string> => {
  const response = await fetch(`${sandbox?.controlUrl}/authorize`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url, account: sandbox?.accounts[0]?.name }),
  });
  return ((await response.json()) as { redirect: string }).redirect;
};

const describe = Effect.fnUntraced(function* (clientId: string, tokens: TokenSet.TokenSet) {
  const now = yield* Clock.currentTimeMillis;
  Report.facts(
    ["client", clientId],
    ["scopes", tokens.scopes.join(" ")],
    ["access token", endOf(tokens.expiresAt, now)],
    ["refreshable", tokens.consentExpiresAt && endOf(tokens.consentExpiresAt, now)],
  );
});

const endOf = (end: TokenSet.TokenSet["expiresAt"], now: number): string => {
  if (end === "never") return "until it is revoked";
  if (end === "unknown") return "until it is refused";
  const hours = Math.round((end - now) / 3_600_000);
  return hours < 48 ? `for ${hours} hours` : `for ${Math.round(hours / 24)} days`;
};
