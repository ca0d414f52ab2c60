/**
 * Payloads in URLs and other text: `tree-link/url`. Finds the payload in what people paste, and
 * builds links.
 *
 * Looks at the shape of a URL and not at its host, because several sites use the same paths;
 * fetches nothing. Drops the query, which names accounts and characters: neither the result nor an
 * error contains it.
 *
 * ```ts
 * import { extractPayload } from "@game-data/tree-link/url";
 *
 * const text = "My build: <https://www.example.com/passive-skill-tree/AAAABgAAAAAA?accountName=x>.";
 * if (extractPayload(text).payload !== "AAAABgAAAAAA") throw new Error("the payload alone");
 * ```
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

/** The reason why there is no payload: a closed set. */
export type TreeLinkUrlReason =
  | "empty"
  | "too-long"
  | "build-code"
  | "not-a-url"
  | "not-http"
  | "no-payload";

const MESSAGES: Record<TreeLinkUrlReason, string> = {
  empty: "There is no text to read.",
  "too-long": "The text is longer than any link.",
  "build-code": "This is the code of a build planner. Export a passive-tree link there instead.",
  "not-a-url": "This is neither a payload nor a URL.",
  "not-http": "A link is an http or https URL without credentials.",
  "no-payload": "The URL has no payload in any known place.",
};

/**
 * A text contains no payload. The error holds nothing of the text.
 *
 * What to do: read `reason`. For `build-code`, export a passive-tree link from the build planner.
 */
export class TreeLinkUrlError extends Error {
  override readonly name = "TreeLinkUrlError";
  readonly _tag = "TreeLinkUrlError";
  readonly reason: TreeLinkUrlReason;

  constructor(reason: TreeLinkUrlReason) {
    super(MESSAGES[reason]);
    this.reason = reason;
  }

  /** Always `false`: the same text fails again. */
  get isRetryable(): boolean {
    return false;
  }

  /** The fields and the message. */
  toJSON(): object {
    return { ...this, message: this.message };
  }
}

/** Options of `extractPayload`. */
export interface ExtractOptions {
  /**
   * Whether to accept the standard base64 alphabet and return its `+` and `/` as `-` and `_`.
   * Default: `false`.
   */
  readonly lenient?: boolean | undefined;
}

/** Options of `buildUrl`: the parts of a link before the payload. */
export interface BuildUrlOptions {
  /** Site that the link opens, such as `https://www.example.com`. */
  readonly base: string;
  /** Default: `passive`. */
  readonly tree?: "passive" | "atlas";
  /** Game version segment, such as `3.26.0`. */
  readonly gameVersion?: string;
  /** Variant segment, such as `ruthless`. */
  readonly variant?: "ruthless" | "alternate" | "ruthless-alternate";
  /** Whether the link opens the tree on the full screen. */
  readonly isFullscreen?: boolean;
}

const MAX_LENGTH = 1_050_000;
/** Most words of a text that are looked at. */
const MAX_PARTS = 1_000;
const PAYLOAD = /^[\w-]+={0,2}$/u;
/** Characters of URLs and prose. A text without them is taken for a payload as it is. */
const URL_LIKE = /[/.:?#\s"'`<>()[\]{}|“”‘’«»]/u;
const TREE = /^(?:(fullscreen)-)?(passive|atlas)-skill-tree$/u;
const GAME_VERSION = /^\d+\.\d+(?:\.\d+)?[a-z]?$/u;
const VARIANT = /^(?:ruthless|alternate|ruthless-alternate)$/u;
/** First characters of zlib data in base64, at any level of compression: build planners' export. */
const BUILD_CODE = /^e(?:AE|F4|Jw|N[opqr])/u;
/** Query parameters in which redirects carry the URL. */
const WRAPPERS = ["q", "url", "u"];
/** Characters that stand around a URL in prose, Markdown, HTML and program text. */
const AROUND = /[\s"'`<>()[\]{}|\\^“”‘’«»]+/u;

/**
 * Finds the payload in `text`: a bare payload, a URL of any known form, or a text around either,
 * such as a sentence or a Markdown link. Whether it is a link, `decode` says.
 *
 * @throws TreeLinkUrlError
 */
export const extractPayload = (text: string, options?: ExtractOptions): FoundPayload => {
  const trimmed = String(text).trim();
  if (trimmed === "") throw new TreeLinkUrlError("empty");
  if (trimmed.length > MAX_LENGTH) throw new TreeLinkUrlError("too-long");
  const isLenient = options?.lenient === true;
  const whole = attempt(trimmed, isLenient, true);
  if (!(whole instanceof TreeLinkUrlError)) return whole;
  let error = whole;
  if (error.reason !== "not-http") {
    for (const part of trimmed.split(AROUND, MAX_PARTS)) {
      if (!/[/#]|^AAAA|^e/u.test(part)) continue;
      const found = attempt(part.replace(/[.,;:!?]{1,9}$/u, ""), isLenient, false);
      if (!(found instanceof TreeLinkUrlError)) return found;
      // These two say more than that the text around them is no URL.
      if (found.reason === "build-code" || found.reason === "not-http") error = found;
    }
  }
  throw error;
};

/** Builds a URL that opens the tree of `payload`. */
export const buildUrl = (payload: string, options: BuildUrlOptions): string => {
  const { base, gameVersion, isFullscreen = false, tree = "passive", variant } = options;
  const page = `${isFullscreen ? "fullscreen-" : ""}${tree}-skill-tree`;
  const path = [page, gameVersion, variant, payload].filter((segment) => segment !== undefined);
  return new URL(path.join("/"), base.endsWith("/") ? base : `${base}/`).href;
};

/** Reads a text without anything around it. `isAlone`: nothing else was pasted. */
const attempt = (
  text: string,
  isLenient: boolean,
  isAlone: boolean,
): FoundPayload | TreeLinkUrlError => {
  const bare = unescape(text);
  const [start = ""] = bare.split(/[?#&]/u, 1);
  const payload = toUrlAlphabet(start, isLenient);
  if (isLikeLink(payload)) return { payload };
  if (!URL_LIKE.test(bare)) {
    if (BUILD_CODE.test(bare)) return new TreeLinkUrlError("build-code");
    // `decode` names the character that is wrong.
    if (isAlone) return { payload: toUrlAlphabet(bare, isLenient) };
  }
  const url = parse(/^https?%/iu.test(text) ? bare : text);
  return url instanceof TreeLinkUrlError ? url : fromUrl(url, isLenient, true);
};

const toUrlAlphabet = (text: string, isLenient: boolean): string =>
  isLenient ? text.replaceAll("+", "-").replaceAll("/", "_") : text;

/** Undoes percent-encoding, also where it was done more than once. */
const unescape = (text: string): string => {
  let decoded = text;
  for (let round = 0; round < 3 && decoded.includes("%"); round++) {
    try {
      decoded = decodeURIComponent(decoded);
    } catch {
      return decoded;
    }
  }
  return decoded;
};

const parse = (text: string): URL | TreeLinkUrlError => {
  // A host and a port look like a scheme, up to the digit.
  const withScheme = /^[a-z][a-z\d+.-]*:(?!\d)/iu.test(text) ? text : `https://${text}`;
  if (!URL.canParse(withScheme)) return new TreeLinkUrlError("not-a-url");
  const url = new URL(withScheme);
  const isPlain = /^https?:$/u.test(url.protocol) && url.username === "" && url.password === "";
  return isPlain ? url : new TreeLinkUrlError("not-http");
};

const fromUrl = (
  url: URL,
  isLenient: boolean,
  mayBeWrapped: boolean,
): FoundPayload | TreeLinkUrlError => {
  const segments = url.pathname.split("/").filter((segment) => segment !== "");
  const page = segments.findIndex((segment) => TREE.test(segment));
  const found =
    page < 0
      ? (fromFragment(url, isLenient) ?? fromLastSegment(segments))
      : fromTreePage(segments.slice(page), isLenient);
  if (found !== undefined) return found;
  for (const name of mayBeWrapped ? WRAPPERS : []) {
    const inner = url.searchParams.get(name);
    if (inner === null || !URL.canParse(inner)) continue;
    const target = parse(inner);
    return target instanceof TreeLinkUrlError ? target : fromUrl(target, isLenient, false);
  }
  return new TreeLinkUrlError("no-payload");
};

/** …/(fullscreen-)(passive|atlas)-skill-tree/[version/][variant/]PAYLOAD */
const fromTreePage = (
  [page = "", ...rest]: ReadonlyArray<string>,
  isLenient: boolean,
): FoundPayload | undefined => {
  const [, fullscreen, tree] = TREE.exec(page)!;
  const gameVersion = GAME_VERSION.test(rest[0] ?? "") ? rest.shift() : undefined;
  const variant = VARIANT.test(rest[0] ?? "") ? rest.shift() : undefined;
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
const fromFragment = (url: URL, isLenient: boolean): FoundPayload | undefined => {
  const payload = toUrlAlphabet(unescape(url.hash.slice(1)), isLenient);
  if (!isLikeLink(payload)) return undefined;
  const [gameVersion = "", variant] = (url.searchParams.get("v") ?? "").split(/-(.*)/su);
  return {
    payload,
    ...(GAME_VERSION.test(gameVersion) ? { gameVersion } : {}),
    ...(VARIANT.test(variant ?? "") ? { variant: variant! } : {}),
  };
};

/** …/character/PAYLOAD and the pages of other sites. */
const fromLastSegment = (segments: ReadonlyArray<string>): FoundPayload | undefined => {
  const payload = unescape(segments.at(-1) ?? "");
  return isLikeLink(payload) ? { payload } : undefined;
};

/** Whether a text starts like a version below 256, and is as long as the shortest link. */
const isLikeLink = (payload: string): boolean =>
  payload.length >= 10 && payload.startsWith("AAAA") && PAYLOAD.test(payload);
