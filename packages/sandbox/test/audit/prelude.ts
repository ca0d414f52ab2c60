/** What the programs share: a client of few lines, in plain JavaScript. */
export const PRELUDE = `
const { createHash, randomBytes } = await import("node:crypto");
const { env } = process;
const [auth, data, control] = ["AUTH", "BASE", "CONTROL"].map((name) => env["GAME_DATA_" + name + "_URL"]);
const id = env.GAME_DATA_CLIENT_ID, secret = env.GAME_DATA_CLIENT_SECRET;
const agent = { "user-agent": "table/1.0.0 (contact: table@example.com)" };
const wait = (millis) => new Promise((resolve) => setTimeout(resolve, millis));
const call = async (url, init = {}) => {
  const response = await fetch(url, { ...init, headers: { ...agent, ...init.headers } });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith("{") ? JSON.parse(text) : undefined };
};
const form = (fields) => call(auth + "/oauth/token", { method: "POST", body: new URLSearchParams(fields) });
const own = (scope = "service:leagues") =>
  form({ grant_type: "client_credentials", client_id: id, client_secret: secret, scope });
const token = async (scope) => (await own(scope)).body?.access_token;
const get = (path, bearer) => call(data + path, { headers: { authorization: "Bearer " + bearer } });
const send = (path, bearer, body, type = "application/json") => call(data + path, { method: "POST",
  headers: { authorization: "Bearer " + bearer, "content-type": type }, body: JSON.stringify(body) });
const redirect_uri = "https://app.example.com/callback";
const pkce = () => {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
};
const authorizeUrl = (more) =>
  auth + "/oauth/authorize?" + new URLSearchParams({ client_id: id, response_type: "code",
    scope: "account:profile", redirect_uri, code_challenge_method: "S256",
    state: randomBytes(16).toString("base64url"), ...more });
const consent = async (url) =>
  (await call(control + "/authorize", { method: "POST", body: JSON.stringify({ url }) })).body?.redirect;
const codeOf = (redirect) => new URL(redirect).searchParams.get("code");
const redeem = (code, code_verifier) =>
  form({ grant_type: "authorization_code", client_id: id, client_secret: secret, code, redirect_uri, code_verifier });
const refresh = (refresh_token) =>
  form({ grant_type: "refresh_token", client_id: id, client_secret: secret, refresh_token });
const signIn = async (scope = "account:profile") => {
  const { challenge, verifier } = pkce();
  const url = authorizeUrl({ code_challenge: challenge, scope });
  const back = new URL(await consent(url));
  if (back.searchParams.get("state") !== new URL(url).searchParams.get("state")) return undefined;
  return (await redeem(back.searchParams.get("code"), verifier)).body;
};
`;
