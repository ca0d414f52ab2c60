/**
 * Pages for people (sign-in, consent, applications, and pages that say why nothing can be done), and
 * the responses that they are sent in: never stored, never framed, and where they may lead.
 */
import { STYLE_SOURCE } from "../generated/style.ts";
import { empty, type Headers, type ResponseOutput } from "../http/messages.ts";
import type { SeededAccount } from "../clients/Accounts.ts";
import type { RegisteredClient } from "../clients/Clients.ts";
import type { PendingRequest } from "./Consents.ts";
import type { Grant, Token } from "./Grants.ts";
import { type Html, html, page } from "./Html.ts";
import { isoInstant } from "../internal/instants.ts";

/** Permissions that scopes give an application, in words (§5). */
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

/** What the forms of a page need: where the server's paths begin, and tokens against forgery. */
export interface Forms {
  readonly prefix: string;
  readonly csrf: (purpose: string) => string;
}

const hidden = (name: string, value: string): Html =>
  html`<input type="hidden" name="${name}" value="${value}" />`;

/** Asks who is there. `request` is the pending request to go on with, or empty. */
export const signInPage = (
  accounts: ReadonlyArray<SeededAccount>,
  forms: Forms,
  request: string,
): string =>
  page(
    "Sign in",
    html`<h1>Sign in</h1>
      <p>Choose the account to sign in with. The accounts of a sandbox have no passwords.</p>
      <form method="post" action="${forms.prefix}/sign-in">
        ${hidden("request", request)}${hidden("csrf", forms.csrf(`sign-in:${request}`))}
        ${accounts.map(({ name }) => html`<p><button name="account" value="${name}">${name}</button></p>`)}
      </form>`,
  );

/** Asks for consent (§4.1, §5). */
export const consentPage = (
  request: PendingRequest,
  account: SeededAccount,
  forms: Forms,
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
      <form method="post" action="${forms.prefix}/oauth/consent">
        ${hidden("request", request.id)}${hidden("csrf", forms.csrf(`consent:${request.id}`))}
        <p class="buttons">
          <button class="primary" name="decision" value="allow">Allow</button>
          <button name="decision" value="deny">Deny</button>
        </p>
      </form>
      ${signOutForm(forms, request.id, "Not you? Sign in as someone else")}`,
  );
};

const signOutForm = (forms: Forms, request: string, label: string): Html =>
  html`<form method="post" action="${forms.prefix}/sign-out">
    ${hidden("request", request)}${hidden("csrf", forms.csrf("sign-out"))}
    <p class="buttons"><button class="quiet">${label}</button></p>
  </form>`;

/** §5: the page of a public client warns; nothing proves who is behind its id. */
const UNVERIFIABLE = html`<p class="notice notice-warn" role="alert">
  <strong>The authenticity of this request is unverifiable.</strong> The application runs on a
  computer and cannot prove that it is what it says it is. Go on only if you have just started it
  yourself.
</p>`;

/** An application with what it holds of a person. */
export interface ApplicationEntry {
  readonly client: RegisteredClient;
  readonly grant: Grant;
  readonly tokens: ReadonlyArray<Token>;
}

/**
 * The applications of a person: those with access, and client-credentials tokens of those owned
 * (§5).
 */
export const applicationsPage = (
  account: SeededAccount,
  forms: Forms,
  entries: ReadonlyArray<ApplicationEntry>,
): string => {
  const consented = entries.filter(({ grant }) => grant.grantType === "authorization_code");
  const own = entries.filter(({ grant }) => grant.grantType === "client_credentials");
  const list = (items: ReadonlyArray<ApplicationEntry>) =>
    items.length === 0
      ? html`<p>None.</p>`
      : html`${items.map((entry) => application(entry, forms))}`;
  return page(
    "Applications",
    html`<h1>Applications of ${account.name}</h1>
      <h2>With access to your account</h2>
      ${list(consented)}
      <h2>Client credentials of applications that you own</h2>
      ${list(own)} ${signOutForm(forms, "", "Sign out")}`,
  );
};

const application = ({ client, grant, tokens }: ApplicationEntry, forms: Forms): Html =>
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
              <td>${revokeForm("token", token.hash, forms, "Revoke")}</td>
            </tr>`,
        )}
      </table>
    </div>
    <div class="buttons">${revokeForm("grant", grant.id, forms, "Revoke all access")}</div>
  </section>`;

const revokeForm = (what: "token" | "grant", id: string, forms: Forms, label: string): Html =>
  html`<form method="post" action="${forms.prefix}/my/applications/revoke">
    ${hidden("what", what)}${hidden("id", id)}${hidden("csrf", forms.csrf("applications"))}
    <button>${label}</button>
  </form>`;

/** Scheme, host and port of a redirect URI, for people. */
const hostOf = (uri: string): string => /^[a-z]+:\/\/[^/?#]*/u.exec(uri)?.[0] ?? uri;

/** Headers of everything that is for one browser only. */
export const PRIVATE: Headers = {
  "cache-control": "no-store",
  pragma: "no-cache",
  "referrer-policy": "no-referrer",
};

/** 303: the browser goes on with GET, so that no form is sent on elsewhere (RFC 9700 §4.12). */
export const seeOther = (location: string): ResponseOutput => empty(303, { ...PRIVATE, location });

/**
 * A page: never stored, never framed, no foreign resource, no referrer (RFC 9700 §4.16, §4.2.4).
 *
 * Chromium applies `form-action` to the redirect that answers the form as well, so the page names
 * where it may lead.
 */
export const pageResponse = (body: string, status = 200, leadsTo?: string): ResponseOutput => ({
  status,
  body,
  headers: {
    ...PRIVATE,
    "content-type": "text/html; charset=utf-8",
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "content-security-policy": [
      "default-src 'none'",
      `style-src ${STYLE_SOURCE}`,
      `form-action 'self'${leadsTo === undefined ? "" : ` ${cspSource(leadsTo)}`}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join("; "),
  },
});

/** A page with a title and a sentence, for what cannot go on. */
export const messageResponse = (status: number, title: string, sentence: string): ResponseOutput =>
  pageResponse(
    page(
      title,
      html`<h1>${title}</h1>
        <p>${sentence}</p>`,
    ),
    status,
  );

/** The response where a request is answered, expired or unknown. */
export const gone = (): ResponseOutput =>
  messageResponse(
    400,
    "This request is over",
    "It was answered already, or waited too long. Start again in the application.",
  );

/**
 * The origin of a redirect URI as a CSP source; IPv6 literals have no form there, so their scheme
 * is used.
 */
const cspSource = (uri: string): string => {
  const { hostname, origin, protocol } = new URL(uri);
  return hostname.startsWith("[") ? protocol : origin;
};
