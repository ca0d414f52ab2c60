/**
 * The payload of one URL, or of a text that is nothing but a payload. Looks at the shape of the URL,
 * never at its host.
 */

/** A payload, and what the URL around it says. */
export interface FoundPayload {
  /** The payload, as `decode` takes it. */
  readonly payload: string;
  /** `passive` or `atlas` if the path says so. */
  readonly tree?: "passive" | "atlas";
  /** Game version segment of the path or query, such as `3.26.0`. */
  readonly gameVersion?: string;
  /** Variant of the tree, such as `ruthless`. */
  readonly variant?: string;
  /** Whether the path opens the tree on the full screen. */
  readonly isFullscreen?: boolean;
}

/** The reason why there is no payload, or no URL (`invalid-parameter`): a closed set. */
export type TreeLinkUrlReason =
  | "empty"
  | "too-long"
  | "build-code"
  | "not-a-url"
  | "not-http"
  | "no-payload"
  | "invalid-parameter";

/** Options of `extractPayload` and `findLinks`. */
export interface ExtractOptions {
  /**
   * Whether to accept the standard base64 alphabet and return its `+` and `/` as `-` and `_`.
   * Default: `false`.
   */
  readonly lenient?: boolean | undefined;
}

export const PAYLOAD = /^[\w-]+={0,2}$/u;
/** Characters of URLs and prose. A text without them is taken for a payload as it is. */
const URL_LIKE = /[/.:?#\s"'`<>()[\]{}|“”‘’«»]/u;
/** The page of a tree in a path, and what is behind it. */
const TREE = /\/(?:(fullscreen)-)?(passive|atlas)-skill-tree(?:\/([^]*))?$/u;
export const GAME_VERSION = /^\d+\.\d+(?:\.\d+)?[a-z]?$/u;
export const VARIANT = /^(?:ruthless|alternate|ruthless-alternate)$/u;
/** First characters of zlib data in base64, at any level of compression: build planners' export. */
const BUILD_CODE = /^e(?:AE|F4|Jw|N[opqr])/u;
/** Redirects in one another. */
const MAX_REDIRECTS = 3;
/** URLs that a redirect may have in its query. */
const MAX_TARGETS = 20;

/** Reads a text without anything around it: a URL, or else what `decode` will judge. */
export const payloadOfText = (
  text: string,
  isLenient: boolean,
): FoundPayload | TreeLinkUrlReason => {
  const bare = unescape(text);
  const [start = ""] = bare.split(/[?#&]/u, 1);
  const payload = toUrlAlphabet(start, isLenient);
  if (isLikeLink(payload)) return { payload };
  if (!URL_LIKE.test(bare)) {
    if (BUILD_CODE.test(bare)) return "build-code";
    // `decode` names the character that is wrong.
    return { payload: toUrlAlphabet(bare, isLenient) };
  }
  const found = payloadsOfUrl(text, isLenient);
  return typeof found === "string" ? found : (found[0] ?? "no-payload");
};

/** Whether a word of a text is the export of a build planner. */
export const hasBuildCode = (text: string): boolean =>
  text.split(/\s/u).some((word) => BUILD_CODE.test(word) && /^[\w+/=-]{8,}$/u.test(word));

/** What is read of a URL. */
type UrlParts = Pick<URL, "pathname" | "hash" | "search"> & Partial<URL>;

/** A URL whose parts are those of its text: nothing in it is escaped, resolved or left out. */
const PLAIN =
  /^(?:https?:\/\/)?(?:(?!xn--)[a-z\d-]+\.)+[a-z]+(\/(?:[\w/=-]|%(?!2e))*)(#[\w=-]*)?$/u;

/**
 * Reads the payloads of a URL, which may be escaped as a whole. It has one, or its query has URLs
 * with payloads.
 */
export const payloadsOfUrl = (
  text: string,
  isLenient: boolean,
): ReadonlyArray<FoundPayload> | TreeLinkUrlReason => {
  // Parsing a URL takes as long as the rest.
  const plain = PLAIN.exec(text);
  const url: UrlParts | TreeLinkUrlReason =
    plain === null
      ? parse(text)
      : {
          pathname: plain[1]!,
          hash: plain[2] ?? "",
          search: "",
        };
  return typeof url === "string" ? url : fromUrl(url, isLenient, MAX_REDIRECTS);
};

/** Writes standard base64 with the characters of base64url. */
export const toUrlAlphabet = (text: string, isLenient: boolean): string =>
  isLenient ? text.replaceAll("+", "-").replaceAll("/", "_") : text;

/** ASCII characters by the digits of their escapes. The first digit is no letter. */
const ESCAPED: ReadonlyMap<string, string> = /*#__PURE__*/ new Map(
  Array.from({ length: 128 }, (_, code) => {
    const digits = code.toString(16).padStart(2, "0");
    return [digits, digits.toUpperCase()].map((one) => [one, String.fromCharCode(code)] as const);
  }).flat(),
);

/**
 * Undoes percent-encoding of ASCII, also where it was done more than once: no payload has another
 * character. `decodeURIComponent` would throw at others, which takes ten times as long, and
 * `replace` with a function takes four times as long.
 */
export const unescape = (text: string): string => {
  let decoded = text;
  for (let round = 0; round < 3; round++) {
    let next = "";
    let end = 0;
    let at = decoded.indexOf("%");
    for (; at >= 0; at = decoded.indexOf("%", at + 1)) {
      const character = ESCAPED.get(decoded.slice(at + 1, at + 3));
      if (character === undefined) continue;
      next += decoded.slice(end, at) + character;
      end = at + 3;
    }
    if (end === 0) break;
    decoded = next + decoded.slice(end);
  }
  return decoded;
};

/** Browsers before 2024 have no `URL.parse`; an error of `new URL` takes ten times as long. */
const parseOnce = (text: string): URL | null => {
  // Called on `URL`: Deno's looks at its `this`.
  const at: { readonly parse?: (text: string) => URL | null } = URL;
  if (at.parse !== undefined) return at.parse(text);
  return URL.canParse(text) ? new URL(text) : null;
};

/** Reads a URL, with or without its scheme. */
export const parse = (escaped: string): URL | TreeLinkUrlReason => {
  const text = /^https?%/iu.test(escaped) ? unescape(escaped) : escaped;
  // A host and a port look like a scheme, up to the digit.
  const withScheme = /^[a-z][a-z\d+.-]*:(?!\d)/iu.test(text) ? text : `https://${text}`;
  const url = parseOnce(withScheme);
  if (url === null) return "not-a-url";
  const isPlain =
    ["http:", "https:"].includes(url.protocol) && url.username === "" && url.password === "";
  return isPlain ? url : "not-http";
};

const fromUrl = (
  url: UrlParts,
  isLenient: boolean,
  redirects: number,
): ReadonlyArray<FoundPayload> => {
  const page = TREE.exec(url.pathname);
  const found =
    page === null
      ? (fromFragment(url, isLenient) ?? fromLastSegment(url.pathname))
      : fromTreePage(page, isLenient);
  if (found !== undefined) return [found];
  if (redirects === 0 || url.search === "") return [];
  // A redirect carries its target in a parameter: `q`, `url`, `next`; each site has its own name.
  const values = [...url.searchParams!.values()].filter((one) => /^(?:https?[:%]|\/)/iu.test(one));
  return values.slice(0, MAX_TARGETS).flatMap((value) => {
    const target = parse(value.startsWith("/") ? `${url.origin}${value}` : value);
    return typeof target === "string" ? [] : fromUrl(target, isLenient, redirects - 1);
  });
};

/** …/(fullscreen-)(passive|atlas)-skill-tree/[version/][variant/]PAYLOAD */
const fromTreePage = (
  [, fullscreen, tree, behind = ""]: ReadonlyArray<string>,
  isLenient: boolean,
): FoundPayload | undefined => {
  const rest = behind.split("/").filter((segment) => segment !== "");
  const gameVersion = GAME_VERSION.test(rest[0]!) ? rest.shift() : undefined;
  const variant = VARIANT.test(rest[0]!) ? rest.shift() : undefined;
  // In the standard alphabet a payload may contain `/`.
  const payload = toUrlAlphabet(unescape(rest.join("/")), isLenient);
  if (!PAYLOAD.test(payload)) return undefined;
  return {
    payload,
    tree: tree as "passive" | "atlas",
    isFullscreen: fullscreen !== undefined,
    ...(gameVersion === undefined ? {} : { gameVersion }),
    ...(variant === undefined ? {} : { variant }),
  };
};

/** …/?v=3.6.0-ruthless#PAYLOAD; other fragments are places on a page. */
const fromFragment = (url: UrlParts, isLenient: boolean): FoundPayload | undefined => {
  const payload = toUrlAlphabet(unescape(url.hash.slice(1)), isLenient);
  if (!isLikeLink(payload)) return undefined;
  const version = url.search === "" ? undefined : url.searchParams!.get("v");
  const [gameVersion, variant] = (version ?? "").split(/-(.*)/su);
  return {
    payload,
    ...(GAME_VERSION.test(gameVersion!) ? { gameVersion: gameVersion! } : {}),
    ...(VARIANT.test(variant!) ? { variant: variant! } : {}),
  };
};

/** …/character/PAYLOAD and the pages of other sites. */
const fromLastSegment = (path: string): FoundPayload | undefined => {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  const payload = unescape(path.slice(path.lastIndexOf("/", end - 1) + 1, end));
  return isLikeLink(payload) ? { payload } : undefined;
};

/** Whether a text starts like a version below 256, and is as long as the shortest link. */
export const isLikeLink = (payload: string): boolean =>
  payload.length >= 10 && payload.startsWith("AAAA") && PAYLOAD.test(payload);
