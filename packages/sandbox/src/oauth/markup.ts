/** The pages that people see: sign-in, consent and applications. */
import type { RegisteredClient, SeededAccount } from "../clients/Clients.ts";
import type { PendingRequest } from "./Consents.ts";
import type { Grant, Token } from "./Grants.ts";
import { html, type Html, page } from "./html.ts";
import { isoInstant } from "../internal/instants.ts";

/** Description of each scope for the consent page (§5). */
const IN_WORDS: Readonly<Record<string, string>> = {
  "account:profile": "See your basic profile information",
  "account:leagues": "View the leagues that are available to you, including private leagues",
  "account:stashes": "View your stashes and items",
  "account:characters": "View your characters and their inventories",
  "account:league_accounts": "View your allocated atlas passives",
  "account:item_filter": "Manage your item filters",
  "service:leagues": "Fetch leagues",
  "service:leagues:ladder": "Fetch league ladders",
  "service:pvp_matches": "Fetch PvP matches",
  "service:pvp_matches:ladder": "Fetch PvP match ladders",
  "service:psapi": "Read the public stash stream",
  "service:cxapi": "Read the currency exchange",
  "oauth:revoke": "Revoke the access that you give it",
  "oauth:introspect": "Check the access that you give it",
};

/** Returns the token against forgery of a form with this purpose. */
export type Csrf = (purpose: string) => string;

const form = (action: string, fields: Readonly<Record<string, string>>, content: Html): Html => {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return html`<form method="post" action="${action}">${hidden}${content}</form>`;
};

/** Returns the sign-in page. `request` is the id of the request to continue, or empty. */
export const signInPage = (
  accounts: ReadonlyArray<SeededAccount>,
  csrf: Csrf,
  request: string,
): string =>
  page(
    "Sign in",
    html`<h1>Sign in</h1>
      <p>Choose the account to sign in with. The accounts of a sandbox have no passwords.</p>
      ${form(
        "/sign-in",
        { request, csrf: csrf(`sign-in:${request}`) },
        html`${accounts.map(({ name }) => html`<p><button name="account" value="${name}">${name}</button></p>`)}`,
      )}`,
  );

/** Returns the page on which a user allows or denies a request (§4.1, §5). */
export const consentPage = (
  request: PendingRequest,
  account: SeededAccount,
  csrf: Csrf,
): string => {
  const { client } = request;
  return page(
    "Authorize an application",
    html`<h1>${client.name} asks for access to your account</h1>
      <p>You are signed in as <strong>${account.name}</strong>.</p>
      ${client.kind === "public" ? UNVERIFIABLE : undefined}
      <p>The application wants to:</p>
      <ul>
        ${request.scopes.map((scope) => html`<li>${IN_WORDS[scope] ?? scope} <code>${scope}</code></li>`)}
      </ul>
      <p>Afterwards you return to <code>${hostOf(request.redirectUri)}</code>.</p>
      ${form("/oauth/consent", { request: request.id, csrf: csrf(`consent:${request.id}`) }, DECISION)}
      ${signOutForm(csrf, request.id, "Not you? Sign in as someone else")}`,
  );
};

const DECISION = html`<p class="buttons">
  <button class="primary" name="decision" value="allow">Allow</button>
  <button name="decision" value="deny">Deny</button>
</p>`;

const signOutForm = (csrf: Csrf, request: string, label: string): Html =>
  form(
    "/sign-out",
    { request, csrf: csrf("sign-out") },
    html`<p class="buttons"><button class="quiet">${label}</button></p>`,
  );

/** The warning on the page of a public client, which cannot prove its identity (§5). */
const UNVERIFIABLE = html`<p class="notice notice-warn" role="alert">
  <strong>The authenticity of this request is unverifiable.</strong> The application runs on a
  computer and cannot prove that it is what it says it is. Go on only if you have just started it
  yourself.
</p>`;

/** An application and the tokens that it holds for a person. */
export interface ApplicationEntry {
  readonly client: RegisteredClient;
  readonly grant: Grant;
  readonly tokens: ReadonlyArray<Token>;
}

/** Returns the page of the applications that have access to an account, or belong to it (§5). */
export const applicationsPage = (
  account: SeededAccount,
  csrf: Csrf,
  entries: ReadonlyArray<ApplicationEntry>,
): string => {
  const consented = entries.filter(({ grant }) => grant.grantType === "authorization_code");
  const own = entries.filter(({ grant }) => grant.grantType === "client_credentials");
  const list = (items: ReadonlyArray<ApplicationEntry>) =>
    items.length === 0
      ? html`<p>None.</p>`
      : html`${items.map((entry) => application(entry, csrf))}`;
  return page(
    "Applications",
    html`<h1>Applications of ${account.name}</h1>
      <h2>With access to your account</h2>
      ${list(consented)}
      <h2>Client credentials of applications that you own</h2>
      ${list(own)} ${signOutForm(csrf, "", "Sign out")}`,
  );
};

const application = ({ client, grant, tokens }: ApplicationEntry, csrf: Csrf): Html =>
  html`<section data-grant="${grant.id}">
    <h3>${client.name}</h3>
    <p>${grant.scopes.join(", ")}; since ${isoInstant(grant.createdAt)}</p>
    <div class="scroll" tabindex="0" role="region" aria-label="Tokens of ${client.name}">
      <table>
        <tr>
          <th>Token</th>
          <th>Kind</th>
          <th>Expires</th>
          <th>Action</th>
        </tr>
        ${tokens.map(
          (token) =>
            html`<tr>
              <td><code>${token.prefix}…</code></td>
              <td>${token.kind}</td>
              <td>${token.expiresAt === null ? "never" : isoInstant(token.expiresAt)}</td>
              <td>${revokeForm("token", token.hash, csrf, "Revoke")}</td>
            </tr>`,
        )}
      </table>
    </div>
    <div class="buttons">${revokeForm("grant", grant.id, csrf, "Revoke all access")}</div>
  </section>`;

const revokeForm = (what: "token" | "grant", id: string, csrf: Csrf, label: string): Html =>
  form(
    "/my/applications/revoke",
    { what, id, csrf: csrf("applications") },
    html`<button>${label}</button>`,
  );

/** Returns scheme, host and port of a redirect URI, to be shown to people. */
const hostOf = (uri: string): string => /^[a-z]+:\/\/[^/?#]*/u.exec(uri)?.[0] ?? uri;
