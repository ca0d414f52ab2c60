/** A client that makes every mistake that the audit knows, and ends well nevertheless. */
const { env } = process;
const [auth, data, control] = ["AUTH", "BASE", "CONTROL"].map(
  (name) => env[`GAME_DATA_${name}_URL`],
);
const id = env["GAME_DATA_CLIENT_ID"];
const secret = env["GAME_DATA_CLIENT_SECRET"];

const ask = async (url, init) => {
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    let body;
    try {
      body = JSON.parse(text);
    } catch {
      body = undefined;
    }
    return { status: response.status, body };
  } catch {
    return { status: 0, body: undefined };
  }
};
const token = (form) =>
  ask(`${auth}/oauth/token`, { method: "POST", body: new URLSearchParams(form) });
const own = (scope) =>
  token({ grant_type: "client_credentials", client_id: id, client_secret: secret, scope });
const get = (path, bearer) =>
  ask(`${data}${path}`, { headers: { authorization: `Bearer ${bearer}` } });

// A19: two tokens that never expire. A18: scopes that nothing needs.
const ALL =
  "account:profile account:characters account:item_filter service:leagues service:leagues:ladder service:psapi service:cxapi oauth:introspect";
const bearer = (await own(ALL)).body?.access_token ?? (await own(ALL)).body?.access_token;
await own(ALL);

// A17: a secret of a public client.
await token({
  grant_type: "refresh_token",
  client_id: "example-desktop",
  client_secret: "not one",
  refresh_token: "none",
});

// A13, A14: no S256, one challenge twice, no state.
const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const authorizeUrl = (more) =>
  `${auth}/oauth/authorize?${new URLSearchParams({
    client_id: id,
    response_type: "code",
    scope: "account:profile",
    redirect_uri: "https://app.example.com/callback",
    code_challenge: challenge,
    ...more,
  })}`;
await ask(authorizeUrl({ code_challenge_method: "plain" }), { redirect: "manual" });
const url = authorizeUrl({ code_challenge_method: "S256", state: "always" });
await ask(url, { redirect: "manual" });

// A15: the state of the callback is not looked at. A11, A12: the code is redeemed three times.
const consent = await ask(`${control}/authorize`, {
  method: "POST",
  body: JSON.stringify({ url }),
});
const redeem = {
  grant_type: "authorization_code",
  client_id: id,
  client_secret: secret,
  code: new URL(consent.body.redirect).searchParams.get("code"),
  redirect_uri: "https://app.example.com/callback",
  code_verifier: verifier,
};
const user = (await token(redeem)).body;
// A09, A10: two refreshes with one token at once.
if (user?.refresh_token !== undefined) {
  const refresh = {
    grant_type: "refresh_token",
    client_id: id,
    client_secret: secret,
    refresh_token: user.refresh_token,
  };
  await Promise.all([token(refresh), token(refresh), token(refresh)]);
}
await token(redeem);
await token(redeem);

// A16: a token in the URL. A05: what was refused, again. A07: a dead token, again.
await get(`/league?access_token=${bearer}`, bearer);
for (let time = 0; time < 2; time++) await get("/league?limit=999", bearer);
await get("/profile", "dead");
await new Promise((resolve) => setTimeout(resolve, 80));
await get("/profile", "dead");

// A01, A04, A06, A25: the same again at once, whatever was answered.
// A02, A03: as often as it likes.
for (let time = 0; time < 8; time++) await get("/character", bearer);
for (let time = 0; time < 8; time++) await get("/league", bearer);

// A21: what is gone is asked for again and again. A26: beyond the ladder.
for (let time = 0; time < 3; time++) await get("/character/Somebody", bearer);
await get("/league/Standard/ladder?offset=15000", bearer);

// A08, A28: a create and an update again, whatever became of the first.
const write = (path, body) =>
  ask(`${data}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
await get("/item-filter", bearer);
const filter = { filter_name: "mine", realm: "pc", filter: "Show\n" };
for (let time = 0; time < 2; time++) await write("/item-filter", filter);
for (let time = 0; time < 2; time++) await write("/item-filter/any", { description: "x" });

// A22, A23: from the beginning again, and no pause at the end.
const page = async (change) =>
  (await get(`/public-stash-tabs${change === undefined ? "" : `?id=${change}`}`, bearer)).body;
let change;
for (let count = 0; count < 12; count++) {
  const next = await page(change);
  if (next?.stashes?.length === 0) break;
  change = next?.next_change_id ?? change;
}
await page(change);
await page(change);
await page(undefined);

// A24: the hour that is not over, twice.
const hour = Math.floor(Date.now() / 3_600_000) * 3600;
for (let time = 0; time < 2; time++) await get(`/currency-exchange/${hour}`, bearer);

// A27: a member that it does not know is its end.
const profile = (await get("/profile", bearer)).body;
if (profile !== undefined && "memberOfTomorrow" in profile) process.exit(1);
