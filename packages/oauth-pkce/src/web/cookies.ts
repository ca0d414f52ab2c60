/**
 * Cookies of the sign-in: `__Host-` names, which no sibling subdomain can write.
 *
 * The names hold a tag of the client and its redirect URI, so that two sign-ins, and applications
 * at two ports, keep apart on one host.
 */

const ATTRIBUTES = "Path=/; Secure; HttpOnly; SameSite=Lax";
const MAX_FLOWS = 5;
/** Characters of all flows in a header: servers and proxies take 8 kB of it, or 16. */
const MAX_FLOW_CHARACTERS = 6_000;

/** Seconds for which a flow's cookie is kept: as long as a user may take on the consent page. */
const FLOW_SECONDS = 600;

/** What a browser holds of its session. */
export interface SessionCookie {
  /** The hash that names the row of the user. */
  readonly row: string;
  /** 256 random bits, which no store holds. */
  readonly secret: string;
}

/** A flow in its cookie. */
export interface FlowCookie {
  readonly id: string;
  readonly sealed: string;
  /** Epoch milliseconds of its start. */
  readonly startedAt: number;
}

/** The cookies whose names hold `tag`. `header` is the value of a request's `Cookie` header. */
export const makeCookies = (tag: string) => {
  const sessionName = `__Host-gd_${tag}_s`;
  const flowPrefix = `__Host-gd_${tag}_f_`;
  const flowNames = (header: string, id = "") =>
    [...parse(header).keys()].filter((name) => name.startsWith(`${flowPrefix}${id}${id && "_"}`));
  return {
    /** The session of a request, if its cookie has the form of one. */
    readSession: (header: string): SessionCookie | undefined => {
      const found = /^([\w-]{43})\.([\w-]{43})$/.exec(parse(header).get(sessionName) ?? "");
      return found ? { row: found[1]!, secret: found[2]! } : undefined;
    },
    /** Sets the session's cookie. Without a known end it lasts as long as the browser. */
    session: ({ row, secret }: SessionCookie, seconds: number | undefined) =>
      `${sessionName}=${row}.${secret}; ${ATTRIBUTES}${seconds === undefined ? "" : `; Max-Age=${seconds}`}`,
    noSession: () => removed(sessionName),
    /** The sealed flow with this id. */
    readFlow: (header: string, id: string) => {
      const [name] = flowNames(header, id);
      return name === undefined ? undefined : parse(header).get(name);
    },
    /** Sets a flow's cookie, and removes the oldest ones that are too many: headers are limited. */
    flow: (header: string, { id, sealed, startedAt }: FlowCookie): ReadonlyArray<string> => {
      const held = parse(header);
      let size = sealed.length;
      const isTooMuch = (name: string, at: number) =>
        (size += name.length + (held.get(name) ?? "").length) > MAX_FLOW_CHARACTERS ||
        at >= MAX_FLOWS - 1;
      return [
        `${flowPrefix}${id}_${startedAt.toString(36)}=${sealed}; ${ATTRIBUTES}; Max-Age=${FLOW_SECONDS}`,
        ...flowNames(header)
          .toSorted((a, b) => timeOf(b) - timeOf(a))
          .filter(isTooMuch)
          .map(removed),
      ];
    },
    noFlow: (header: string, id: string) => flowNames(header, id).map(removed),
  };
};

/** The cookies of a header. Of several with one name the first counts. */
const parse = (header: string): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    if (at > 0 && !found.has(name)) found.set(name, pair.slice(at + 1).trim());
  }
  return found;
};

const removed = (name: string) => `${name}=; ${ATTRIBUTES}; Max-Age=0`;

const timeOf = (name: string) => Number.parseInt(name.split("_").at(-1) ?? "", 36) || 0;
