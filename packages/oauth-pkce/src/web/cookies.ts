/**
 * Cookies of the sign-in. Their `__Host-` names cannot be written by a sibling subdomain.
 *
 * The names hold a tag of the client and its redirect URI, so that two sign-ins, and applications at
 * two ports of one host, keep apart.
 */

const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";
/** Limit of all flow cookies in a header, because servers and proxies take 8 or 16 kB. */
const MAX_FLOW_CHARACTERS = 6_000;
/** The time that a user may take on the consent page. */
const FLOW_SECONDS = 600;

export interface FlowCookie {
  readonly name: string;
  readonly sealed: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** Makes the cookies whose names hold `tag`. `header` is the value of a request's `Cookie` header. */
export const makeCookies = (tag: string) => {
  const sessionName = `__Host-gd_${tag}_s`;
  const flowPrefix = `__Host-gd_${tag}_f_`;
  const flowCookies = (header: string, name = "") =>
    [...parse(header).keys()].filter((each) =>
      each.startsWith(`${flowPrefix}${name}${name && "_"}`),
    );
  return {
    /** Returns the secret of the session, or `undefined` without a valid session cookie. */
    readSession: (header: string): string | undefined =>
      /^[\w-]{43}$/.exec(parse(header).get(sessionName) ?? "")?.[0],
    /** Sets the session's cookie. Without a known end it lasts until the browser is closed. */
    session: (secret: string, seconds: number | undefined) =>
      `${sessionName}=${secret}; ${ATTRIBUTES}${seconds === undefined ? "" : `; Max-Age=${seconds}`}`,
    noSession: () => removed(sessionName),
    readFlow: (header: string, name: string) => {
      const [cookie] = flowCookies(header, name);
      return cookie === undefined ? undefined : parse(header).get(cookie);
    },
    /**
     * Returns the `Set-Cookie` headers that set a flow and remove the oldest flows beyond the
     * limits.
     */
    flow: (header: string, { name, sealed, startedAt }: FlowCookie): ReadonlyArray<string> => {
      const cookies = parse(header);
      let size = sealed.length;
      const isTooMuch = (each: string) =>
        (size += each.length + (cookies.get(each) ?? "").length) > MAX_FLOW_CHARACTERS;
      const cookie = `${flowPrefix}${name}_${startedAt.toString(36)}`;
      return [
        `${cookie}=${sealed}; ${ATTRIBUTES}; Max-Age=${FLOW_SECONDS}`,
        ...flowCookies(header)
          .toSorted((a, b) => startTime(b) - startTime(a))
          .filter(isTooMuch)
          .map(removed),
      ];
    },
    /** Returns the `Set-Cookie` headers that remove the flow with this name, or all flows. */
    noFlows: (header: string, name?: string) => flowCookies(header, name).map(removed),
  };
};

/** Parses the cookies of a header. If several cookies have the same name, the first counts. */
const parse = (header: string): ReadonlyMap<string, string> => {
  const cookies = new Map<string, string>();
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    if (at > 0 && !cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies;
};

const removed = (name: string) => `${name}=; ${ATTRIBUTES}; Max-Age=0`;

const startTime = (name: string) => Number.parseInt(name.split("_").at(-1) ?? "", 36) || 0;
