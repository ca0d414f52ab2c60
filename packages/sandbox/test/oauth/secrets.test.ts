/**
 * S6 and S24: nothing that opens a door lies in the database, the logs, the spans or the journal.
 */
import { assert, it } from "@effect/vitest";
import { Sandbox } from "@game-data/sandbox";
import { Effect, Layer, Logger, References, Tracer } from "effect";
import { authorizeQuery, basic, bearer, pkce, tokenOf, WEB } from "./harness.ts";

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

it.live(
  "logs, spans, journal and database contain no secret, and only the database a state [S6] [S24]",
  () => {
    const { heard, layer } = makeWitness();
    const flow = Effect.gen(function* () {
      const sandbox = yield* Sandbox;
      const secrets = yield* Effect.promise(() => visit(sandbox));
      const journal = yield* Effect.promise(async () =>
        (await sandbox.fetch(new Request(`${sandbox.controlUrl}/journal`))).text(),
      );
      const dump = JSON.stringify(
        yield* Effect.promise(() => sandbox.control("POST", "/snapshot")),
      );

      assert.include(heard.join("\n"), "/oauth/token");
      assert.include(journal, "/oauth/token");
      assert.include(dump, '"tokens"');
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
    return flow.pipe(
      Effect.provide(Sandbox.layerInProcess()),
      Effect.provide(layer),
      Effect.scoped,
    );
  },
);

/** Goes every way that carries a secret, right and wrong, and answers what was carried. */
const visit = async (sandbox: Sandbox["Service"]): Promise<Record<string, string>> => {
  const { authUrl, baseUrl } = sandbox;
  const clientSecret = sandbox.clients.find(({ clientId }) => clientId === WEB.id)!.clientSecret!;
  const { challenge, verifier } = pkce();
  const state = `state-${challenge}`;
  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    sandbox.fetch(
      new Request(authUrl + path, { method: "POST", headers, body: new URLSearchParams(form) }),
    );
  const scope = "account:profile oauth:revoke oauth:introspect";
  const url = `${authUrl}/oauth/authorize?${authorizeQuery({ scope, state, code_challenge: challenge })}`;
  const page = await sandbox.fetch(new Request(url));
  const cookie = page.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const csrf = /name="csrf" value="([^"]+)"/u.exec(await page.text())?.[1] ?? "";
  await post("/sign-in", { csrf: "wrong", account: "Emberlyn#4071" }, { cookie });
  const code = new URL(await sandbox.consent(url)).searchParams.get("code")!;
  const credentials = { client_id: WEB.id, client_secret: clientSecret };
  const exchange = {
    ...credentials,
    grant_type: "authorization_code",
    code,
    redirect_uri: WEB.redirectUri,
    code_verifier: verifier,
  };
  await post(`/oauth/token?${new URLSearchParams({ ...exchange, state })}`, {});
  await post("/oauth/token", { ...exchange, redirect_uri: "https://wrong.example/" });
  const { access_token, refresh_token } = await tokenOf(await post("/oauth/token", exchange));
  const refresh = { grant_type: "refresh_token", refresh_token: refresh_token! };
  const headers = bearer(access_token);
  const agent = { "user-agent": `tool/1 ${access_token}` };
  await sandbox.fetch(new Request(`${baseUrl}/profile`, { headers: { ...headers, ...agent } }));
  await sandbox.fetch(new Request(`${baseUrl}/profile?access_token=${access_token}`));
  await post("/oauth/token/introspect", { token: refresh_token! }, headers);
  await post("/oauth/token", { ...credentials, ...refresh });
  await post("/oauth/token", exchange, basic(`x:${clientSecret}`));
  await post("/oauth/token/revoke", { token: access_token }, headers);
  // As names: of a character, of a path, of a parameter, of a client.
  for (const path of [`/character/${code}`, `/${code}/${code}?${verifier}`])
    await sandbox.fetch(new Request(baseUrl + path));
  await sandbox.fetch(new Request(`${authUrl}/oauth/authorize?client_id=${code}&state=${state}`));
  await post("/oauth/token", exchange, basic(`${code}:${clientSecret}`));
  const carried = { clientSecret, verifier, state, code, csrf, access_token, refresh_token };
  return { ...carried, refresh_token: refresh_token!, cookie: cookie.split("=")[1] ?? "" };
};
