/**
 * `/my/applications`: where a person reviews and revokes what applications hold (§5), and where the
 * owner of an application revokes its client-credentials tokens (§3).
 */
import * as Effect from "effect/Effect";
import * as HttpRouter from "effect/http/HttpRouter";
import type * as HttpServerRequest from "effect/http/HttpServerRequest";
import { Accounts } from "../clients/Accounts.ts";
import { Clients } from "../clients/Clients.ts";
import { OAuthServer } from "./OAuthServer.ts";
import { pageResponse, seeOther, sessionOf, withSession } from "./PageResponses.ts";
import { csrfError, handled, ownForm } from "./PageRoutes.ts";
import { type ApplicationEntry, applicationsPage, signInPage } from "./Pages.ts";
import { verifyCsrf } from "./Sessions.ts";

/** What applications hold in an account's name and would be accepted now. */
const entriesOf = Effect.fnUntraced(function* (sub: string) {
  const clients = yield* Clients;
  const { grants } = yield* OAuthServer;
  return grants.ofAccount(sub).flatMap((grant): ReadonlyArray<ApplicationEntry> => {
    const client = clients.byId(grant.clientId);
    const tokens = grants.liveTokens(grant.id);
    return client === undefined || tokens.length === 0 ? [] : [{ client, grant, tokens }];
  });
});

/** GET /my/applications */
const list = Effect.fn("OAuth.applications")(function* (
  request: HttpServerRequest.HttpServerRequest,
) {
  const accounts = yield* Accounts;
  const session = yield* sessionOf(request);
  const account = session.sub === undefined ? undefined : accounts.byUuid(session.sub);
  const markup =
    account === undefined
      ? signInPage(accounts.all, session, "")
      : applicationsPage({ account, session, entries: yield* entriesOf(account.uuid) });
  return yield* withSession(pageResponse(markup), session);
});

/** POST /my/applications/revoke: a token by its hash, or all that hangs on a grant. */
const revoke = Effect.fn("OAuth.revokeApplication")(function* (
  request: HttpServerRequest.HttpServerRequest,
) {
  const { grants } = yield* OAuthServer;
  const { values, session } = yield* ownForm(request, ["what", "id", "csrf"]);
  const { sub } = session;
  if (sub === undefined || !verifyCsrf(session, "applications", values.get("csrf")))
    return csrfError;
  const id = values.get("id");
  for (const { grant, tokens } of yield* entriesOf(sub)) {
    if (values.get("what") === "grant" && grant.id === id) grants.revokeGrant(grant.id);
    const token = tokens.find(({ hash }) => hash === id);
    if (token?.kind === "access") grants.revokeAccess(token.hash);
    if (token?.kind === "refresh") grants.revokeGrant(grant.id);
  }
  return seeOther("/my/applications");
});

/** The applications page of a person's profile. */
export const ApplicationsRoutes = HttpRouter.addAll([
  HttpRouter.route("GET", "/my/applications", handled(list)),
  HttpRouter.route("POST", "/my/applications/revoke", handled(revoke)),
]);
