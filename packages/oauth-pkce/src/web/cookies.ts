/** Cookies of the sign-in: `__Host-` names, which no sibling subdomain can write. */

const SESSION = "__Host-gd_session";
const FLOW = "__Host-gd_flow_";
const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";
const MAX_FLOWS = 5;

/** Seconds for which a flow's cookie is kept: as long as a user may take on the consent page. */
const FLOW_SECONDS = 600;

/** The cookies of a request. Of several with one name the first counts. */
const readCookies = (request: Request): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const pair of (request.headers.get("cookie") ?? "").split(";")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    if (at > 0 && !found.has(name)) found.set(name, pair.slice(at + 1).trim());
  }
  return found;
};

/** The session id of a request, if it has the form of one. */
export const readSessionId = (request: Request): string | undefined => {
  const id = readCookies(request).get(SESSION);
  return id !== undefined && /^[\w-]{43}$/.test(id) ? id : undefined;
};

/** Sets the session's cookie. Without a known end it lasts as long as the browser. */
export const sessionCookie = (id: string, seconds: number | undefined): string =>
  `${SESSION}=${id}; ${ATTRIBUTES}${seconds === undefined ? "" : `; Max-Age=${seconds}`}`;

const removed = (name: string) => `${name}=; ${ATTRIBUTES}; Max-Age=0`;

/** Removes the session's cookie. */
export const noSessionCookie = (): string => removed(SESSION);

const flowNames = (request: Request) =>
  [...readCookies(request).keys()].filter((name) => name.startsWith(FLOW));

const timeOf = (name: string) => Number.parseInt(name.split("_").at(-1) ?? "", 36) || 0;

/** Sets a flow's cookie, and removes the oldest ones beyond five: headers are limited. */
export const flowCookies = (
  request: Request,
  id: string,
  sealed: string,
  now: number,
): ReadonlyArray<string> => {
  const old = flowNames(request).toSorted((a, b) => timeOf(b) - timeOf(a));
  const name = `${FLOW}${id}_${now.toString(36)}`;
  return [
    `${name}=${sealed}; ${ATTRIBUTES}; Max-Age=${FLOW_SECONDS}`,
    ...old.slice(MAX_FLOWS - 1).map(removed),
  ];
};

/** The sealed flow with this id. */
export const readFlow = (request: Request, id: string): string | undefined => {
  const name = flowNames(request).find((each) => each.startsWith(`${FLOW}${id}_`));
  return name === undefined ? undefined : readCookies(request).get(name);
};

/** Removes the cookie of a flow. */
export const noFlowCookies = (request: Request, id: string): ReadonlyArray<string> =>
  flowNames(request)
    .filter((name) => name.startsWith(`${FLOW}${id}_`))
    .map(removed);
