/**
 * S6 and S24: nothing that opens a door lies in the database, the logs, the spans or the journal.
 */
import { assert, it } from "@effect/vitest";
import { Sandbox } from "@game-data/sandbox";
import { Effect, Layer, Logger, References, Tracer } from "effect";
import { createHash, randomBytes } from "node:crypto";

/** Everything that logs and spans said while the sandbox ran. */
const makeWitness = () => {
  const heard: Array<string> = [];
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options);
      const attribute = span.attribute.bind(span);
      span.attribute = (key, value) => {
        heard.push(`${options.name} ${key}=${String(value)}`);
        attribute(key, value);
      };
      heard.push(options.name);
      return span;
    },
  });
  const logger = Logger.make((options) => {
    heard.push(Logger.formatJson.log(options));
  });
  const layer = Layer.mergeAll(
    Layer.succeed(Tracer.Tracer, tracer),
    Logger.layer([logger]),
    Layer.succeed(References.MinimumLogLevel, "All"),
  );
  return { heard, layer };
};

it.live("leaves no code, token, secret, verifier, state or cookie anywhere [S6] [S24]", () => {
  const { heard, layer } = makeWitness();
  const flow = Effect.gen(function* () {
    const sandbox = yield* Sandbox;
    const secrets = yield* Effect.promise(() => visit(sandbox));
    const journal = yield* Effect.promise(async () =>
      (await sandbox.fetch(new Request(`${sandbox.controlUrl}/journal`))).text(),
    );
    const dump = JSON.stringify(yield* Effect.promise(() => sandbox.control("POST", "/snapshot")));

    assert.include(heard.join("\n"), "/oauth/token");
    assert.include(journal, "/oauth/token");
    assert.include(dump, "oauth_access_tokens");
    const places = { logsAndSpans: heard.join("\n"), journal, database: dump };
    const found = Object.entries(secrets).flatMap(([name, secret]) => {
      assert.isAbove(secret.length, 8);
      return Object.entries(places).flatMap(([place, text]) =>
        text.includes(secret) ? [`${name} in ${place}`] : [],
      );
    });
    // The state is the client's own tracking value; its record goes with the request that it
    // belongs to.
    assert.deepStrictEqual(found, ["state in database"]);
  });
  return flow.pipe(Effect.provide(Sandbox.layerInProcess()), Effect.provide(layer), Effect.scoped);
});

/** Goes every way that carries a secret, right and wrong, and answers what was carried. */
const visit = async (sandbox: Sandbox["Service"]): Promise<Record<string, string>> => {
  const { authUrl, baseUrl, controlUrl } = sandbox;
  const client = sandbox.clients.find(({ kind }) => kind === "confidential");
  const clientSecret = client?.clientSecret ?? "";
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const state = `state-${randomBytes(12).toString("hex")}`;
  const post = (url: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    sandbox.fetch(
      new Request(url, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body: new URLSearchParams(form).toString(),
      }),
    );
  const query = new URLSearchParams({
    client_id: client?.clientId ?? "",
    response_type: "code",
    scope: "account:profile oauth:revoke oauth:introspect",
    state,
    redirect_uri: client?.redirectUris[0] ?? "",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const url = `${authUrl}/oauth/authorize?${query}`;
  const page = await sandbox.fetch(new Request(url));
  const cookie = page.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const csrf = /name="csrf" value="([^"]+)"/u.exec(await page.text())?.[1] ?? "";
  await post(`${authUrl}/sign-in`, { csrf: "wrong", account: "Emberlyn#4071" }, { cookie });
  const consent = await sandbox.fetch(
    new Request(`${controlUrl}/authorize`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ url }),
    }),
  );
  const { redirect } = (await consent.json()) as { redirect: string };
  const code = new URL(redirect).searchParams.get("code") ?? "";
  const credentials = { client_id: client?.clientId ?? "", client_secret: clientSecret };
  const exchange = {
    ...credentials,
    grant_type: "authorization_code",
    code,
    redirect_uri: client?.redirectUris[0] ?? "",
    code_verifier: verifier,
  };
  await post(`${authUrl}/oauth/token?${new URLSearchParams({ ...exchange, state })}`, {});
  await post(`${authUrl}/oauth/token`, { ...exchange, redirect_uri: "https://wrong.example/" });
  const tokens = (await (await post(`${authUrl}/oauth/token`, exchange)).json()) as {
    access_token: string;
    refresh_token: string;
  };
  const authorization = `Bearer ${tokens.access_token}`;
  await sandbox.fetch(new Request(`${baseUrl}/profile`, { headers: { authorization } }));
  await sandbox.fetch(new Request(`${baseUrl}/profile?access_token=${tokens.access_token}`));
  await post(
    `${authUrl}/oauth/token/introspect`,
    { token: tokens.refresh_token },
    { authorization },
  );
  await post(`${authUrl}/oauth/token`, {
    ...credentials,
    grant_type: "refresh_token",
    refresh_token: tokens.refresh_token,
  });
  await post(`${authUrl}/oauth/token`, exchange, {
    authorization: `Basic ${Buffer.from(`x:${clientSecret}`).toString("base64")}`,
  });
  await post(`${authUrl}/oauth/token/revoke`, { token: tokens.access_token }, { authorization });
  return {
    clientSecret,
    verifier,
    state,
    code,
    cookie: cookie.split("=")[1] ?? "",
    csrf,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
  };
};
