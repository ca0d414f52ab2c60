/**
 * Payloads in URLs: `tree-link/url`. Finds the payload in what people paste, and builds links.
 *
 * Looks at the shape of the URL and not at its host, because the same links stand on several sites;
 * fetches nothing. A query of an account's or character's name is dropped, also from errors.
 */

/** What the shape of a URL tells besides the payload. */
export interface FoundPayload {
  /** The payload, as `decode` takes it. */
  readonly payload: string;
  /** `passive` or `atlas` where the path says so. */
  readonly tree?: "passive" | "atlas";
  /** Game version segment of the path or query, such as `3.26.0`. */
  readonly gameVersion?: string;
  /** Variant of the tree, such as `ruthless`. */
  readonly variant?: string;
  /** Whether the path opens the tree on the full screen. */
  readonly isFullscreen?: boolean;
}

/** Why no payload was found: a closed set. */
export type TreeLinkUrlReason =
  | "empty"
  | "too-long"
  | "build-code"
  | "not-a-url"
  | "not-http"
  | "no-payload";

const MESSAGES: Record<TreeLinkUrlReason, string> = {
  empty: "there is nothing to read",
  "too-long": "the text is longer than any link",
  "build-code": "this is the code of a build planner, not a passive-tree link",
  "not-a-url": "this is neither a payload nor a URL",
  "not-http": "a link is an http or https URL without credentials",
  "no-payload": "the URL has no place in which a payload stands",
};

/** A text in which no payload stands. It holds nothing of the text. */
export class TreeLinkUrlError extends Error {
  override readonly name = "TreeLinkUrlError";
  readonly reason: TreeLinkUrlReason;
  constructor(reason: TreeLinkUrlReason) {
    super(MESSAGES[reason]);
    this.reason = reason;
  }
}

/** A part of a link that `buildUrl` puts before the payload. */
export interface BuildUrlOptions {
  /** Site that the link opens, such as `https://www.example.com`. */
  readonly base: string;
  /** `passive` if not given. */
  readonly tree?: "passive" | "atlas";
  /** Game version segment, such as `3.26.0`. */
  readonly gameVersion?: string;
  /** Variant segment, such as `ruthless`. */
  readonly variant?: "ruthless" | "alternate" | "ruthless-alternate";
  /** Opens the tree on the full screen. */
  readonly isFullscreen?: boolean;
}

const MAX_LENGTH = 1_050_000;
const PAYLOAD = /^[\w-]+={0,2}$/u;
/**
 * What no bare payload holds; a text without it is taken for one, so that `decode` can name the
 * character that is wrong.
 */
const URL_LIKE = /[/.:?#\s]/u;
const TREE = /^(?:(fullscreen)-)?(passive|atlas)-skill-tree$/u;
const GAME_VERSION = /^\d+\.\d+(?:\.\d+)?[a-z]?$/u;
const VARIANT = /^(?:ruthless|alternate|ruthless-alternate)$/u;
/** First characters of zlib-compressed text in base64, which is what build planners export. */
const BUILD_CODE = /^eN[opqr]/u;
/** Parameters in which a search engine's redirect carries the URL. */
const WRAPPERS = ["q", "url"];

/**
 * The payload in `text`: a bare payload, or a URL of any known form. It is found by its place;
 * whether it is a link, `decode` says.
 *
 * @throws TreeLinkUrlError
 */
export const extractPayload = (text: string): FoundPayload => {
  const trimmed = String(text).trim();
  if (trimmed === "") throw new TreeLinkUrlError("empty");
  if (trimmed.length > MAX_LENGTH) throw new TreeLinkUrlError("too-long");
  const bare = unescapePadding(trimmed);
  if (!URL_LIKE.test(bare)) {
    if (BUILD_CODE.test(bare)) throw new TreeLinkUrlError("build-code");
    return { payload: bare };
  }
  return fromUrl(parse(trimmed), true);
};

/** A URL that opens the tree of `payload`. */
export const buildUrl = (payload: string, options: BuildUrlOptions): string => {
  const { base, gameVersion, isFullscreen = false, tree = "passive", variant } = options;
  const page = `${isFullscreen ? "fullscreen-" : ""}${tree}-skill-tree`;
  const path = [page, gameVersion, variant, payload].filter((segment) => segment !== undefined);
  return new URL(path.join("/"), base.endsWith("/") ? base : `${base}/`).href;
};

const unescapePadding = (text: string) =>
  text.replace(/(?:%3d){1,2}$/iu, (escaped) => "=".repeat(escaped.length / 3));

const parse = (text: string): URL => {
  // A host and a port look like a scheme, up to the digit.
  const withScheme = /^[a-z][a-z\d+.-]*:(?!\d)/iu.test(text) ? text : `https://${text}`;
  if (!URL.canParse(withScheme)) throw new TreeLinkUrlError("not-a-url");
  const url = new URL(withScheme);
  if (!/^https?:$/u.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new TreeLinkUrlError("not-http");
  return url;
};

const fromUrl = (url: URL, mayBeWrapped: boolean): FoundPayload => {
  const found = fromPath(url.pathname) ?? fromFragment(url) ?? fromLastSegment(url.pathname);
  if (found !== undefined) return found;
  if (mayBeWrapped) {
    for (const name of WRAPPERS) {
      const inner = url.searchParams.get(name);
      if (inner !== null && URL.canParse(inner)) return fromUrl(parse(inner), false);
    }
  }
  throw new TreeLinkUrlError("no-payload");
};

/** …/(fullscreen-)(passive|atlas)-skill-tree/[version/][variant/]PAYLOAD */
const fromPath = (path: string): FoundPayload | undefined => {
  const segments = path.split("/").filter((segment) => segment !== "");
  const start = segments.findIndex((segment) => TREE.test(segment));
  if (start < 0) return undefined;
  const [, fullscreen, tree] = TREE.exec(segments[start]!)!;
  const rest = segments.slice(start + 1);
  const gameVersion = GAME_VERSION.test(rest[0] ?? "") ? rest.shift() : undefined;
  const variant = VARIANT.test(rest[0] ?? "") ? rest.shift() : undefined;
  const payload = unescapePadding(rest[0] ?? "");
  if (rest.length !== 1 || !PAYLOAD.test(payload)) return undefined;
  return {
    payload,
    tree: tree as "passive" | "atlas",
    isFullscreen: fullscreen !== undefined,
    ...(gameVersion === undefined ? {} : { gameVersion }),
    ...(variant === undefined ? {} : { variant }),
  };
};

/** …/?v=3.6.0-ruthless#PAYLOAD; other fragments are places on a page. */
const fromFragment = (url: URL): FoundPayload | undefined => {
  const payload = unescapePadding(url.hash.slice(1));
  if (!isLikeLink(payload)) return undefined;
  const [gameVersion = "", variant] = (url.searchParams.get("v") ?? "").split(/-(.*)/su);
  return {
    payload,
    ...(GAME_VERSION.test(gameVersion) ? { gameVersion } : {}),
    ...(VARIANT.test(variant ?? "") ? { variant: variant! } : {}),
  };
};

/** …/character/PAYLOAD and the pages of other sites. */
const fromLastSegment = (path: string): FoundPayload | undefined => {
  const payload = unescapePadding(path.split("/").findLast((segment) => segment !== "") ?? "");
  return isLikeLink(payload) ? { payload } : undefined;
};

/**
 * Where the place tells nothing, the text must begin as that of every version of a few digits does.
 */
const isLikeLink = (payload: string): boolean =>
  payload.startsWith("AAAA") && PAYLOAD.test(payload);
