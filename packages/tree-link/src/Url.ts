/**
 * Payloads in URLs and other text: `tree-link/url`. `decodeUrl` reads the link in what people
 * paste, `extractPayload` its payload; `findLinks` lists every link of a message or a page,
 * `buildUrl` writes a URL.
 *
 * Looks at the shape of a URL and not at its host, because several sites use the same paths;
 * fetches nothing. Drops the query, which names accounts and characters: neither the result nor an
 * error contains it.
 *
 * ```ts
 * import { decodeUrl, extractPayload } from "@game-data/tree-link/url";
 *
 * const text = "My build: <https://www.example.com/passive-skill-tree/AAAABgMAAAAA?accountName=x>.";
 * if (decodeUrl(text).class !== 3) throw new Error("a Witch");
 * if (extractPayload(text).payload !== "AAAABgMAAAAA") throw new Error("the payload alone");
 * ```
 */

import { type CodecOptions, decode } from "./Decode.ts";
import { linksOf } from "./internal/findLinks.ts";
import {
  type ExtractOptions,
  type FoundPayload,
  GAME_VERSION,
  hasBuildCode,
  PAYLOAD,
  parse,
  payloadOfText,
  type TreeLinkUrlReason,
  VARIANT,
} from "./internal/urlPayload.ts";

import type { TreeLink } from "./TreeLink.ts";

export type { ExtractOptions, FoundPayload, TreeLinkUrlReason } from "./internal/urlPayload.ts";

const MESSAGES: Record<TreeLinkUrlReason, string> = {
  empty: "There is no text to read.",
  "too-long": "The text is longer than any link.",
  "build-code": "This is the code of a build planner. Export a passive-tree link there instead.",
  "not-a-url": "This is neither a payload nor a URL.",
  "not-http": "A link is an http or https URL without credentials.",
  "no-payload": "The URL has no payload in any known place.",
  "invalid-parameter": "A parameter of buildUrl is no part of a link",
};

/** The parameter that `buildUrl` refuses. */
export type BuildUrlParameter = "payload" | keyof BuildUrlOptions;

/**
 * A text contains no payload, or no URL can be built. The error holds nothing of the text.
 *
 * What to do: read `reason`. For `build-code`, export a passive-tree link from the build planner.
 * For `invalid-parameter`, correct the `parameter` of `buildUrl`.
 */
export class TreeLinkUrlError extends Error {
  override readonly name = "TreeLinkUrlError";
  readonly _tag = "TreeLinkUrlError";
  readonly reason: TreeLinkUrlReason;
  /** The parameter of `buildUrl` that is refused, if there is one. */
  readonly parameter: BuildUrlParameter | undefined;

  constructor(reason: TreeLinkUrlReason, parameter?: BuildUrlParameter) {
    super(MESSAGES[reason] + (parameter === undefined ? "" : `: ${parameter}.`));
    this.reason = reason;
    this.parameter = parameter;
  }

  /** Always `false`: the same text fails again. */
  get isRetryable(): boolean {
    return false;
  }

  /** The address of the error's page. */
  get help(): string {
    return "https://game-data.github.io/game-data/errors/treelinkurlerror/";
  }

  /** The fields and the message. */
  toJSON(): object {
    return { ...this, message: this.message, help: this.help };
  }
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

/** A payload, and where its link stands in the text: `text.slice(start, end)`. */
export interface FoundLink extends FoundPayload {
  readonly start: number;
  readonly end: number;
}

const MAX_LENGTH = 1_050_000;

/**
 * Lists the links in a text, in their order: URLs of any known form, also without a scheme, and
 * bare payloads. Whether one is a link, `decode` says. The cost is linear in the length.
 */
export const findLinks = (text: string, options?: ExtractOptions): ReadonlyArray<FoundLink> =>
  linksOf(textOf(text), options?.lenient === true).links;

/** What is no text holds no link. */
const textOf = (text: unknown): string => (typeof text === "string" ? text : "");

/**
 * Finds the payload in `text`: a bare payload, a URL of any known form, or the first link of a text.
 * Whether it is a link, `decode` says.
 *
 * @throws TreeLinkUrlError
 */
export const extractPayload = (text: string, options?: ExtractOptions): FoundPayload => {
  const trimmed = textOf(text).trim();
  if (trimmed === "") throw new TreeLinkUrlError("empty");
  if (trimmed.length > MAX_LENGTH) throw new TreeLinkUrlError("too-long");
  const isLenient = options?.lenient === true;
  const whole = payloadOfText(trimmed, isLenient);
  if (typeof whole !== "string") return whole;
  const { hasCredentials, links } = linksOf(trimmed, isLenient);
  const [first] = links;
  if (first === undefined)
    throw new TreeLinkUrlError(
      hasCredentials ? "not-http" : hasBuildCode(trimmed) ? "build-code" : whole,
    );
  const { end: _end, start: _start, ...found } = first;
  return found;
};

/**
 * Reads the link in `text`: a URL of any known form, a bare payload, or the first link of a text.
 *
 * @throws TreeLinkUrlError where there is no payload, TreeLinkError where it is no link.
 */
export const decodeUrl = (text: string, options?: ExtractOptions & CodecOptions): TreeLink =>
  decode(extractPayload(text, options).payload, options);

/**
 * Builds a URL that opens the tree of `payload`. Whether the payload is a link, `decode` says.
 *
 * @throws TreeLinkUrlError `invalid-parameter`, with the name of the `parameter`.
 */
export const buildUrl = (payload: string, options: BuildUrlOptions): string => {
  const { base, gameVersion, isFullscreen = false, tree = "passive", variant } = options ?? {};
  demand(isPart(PAYLOAD, payload), "payload");
  const site = isPart(/^https?:/iu, base) ? parse(base) : undefined;
  if (typeof site !== "object" || site.search !== "" || site.hash !== "")
    throw new TreeLinkUrlError("invalid-parameter", "base");
  demand(isPart(/^(?:passive|atlas)$/u, tree), "tree");
  demand(gameVersion === undefined || isPart(GAME_VERSION, gameVersion), "gameVersion");
  demand(variant === undefined || isPart(VARIANT, variant), "variant");
  demand(typeof isFullscreen === "boolean", "isFullscreen");
  const page = `${isFullscreen ? "fullscreen-" : ""}${tree}-skill-tree`;
  const path = [page, gameVersion, variant, payload].filter((segment) => segment !== undefined);
  site.pathname = `${site.pathname.replace(/\/$/u, "")}/${path.join("/")}`;
  return site.href;
};

/** An untyped caller may pass anything. */
const isPart = (form: RegExp, value: unknown): boolean =>
  typeof value === "string" && form.test(value);

const demand = (isGood: boolean, parameter: BuildUrlParameter): void => {
  if (!isGood) throw new TreeLinkUrlError("invalid-parameter", parameter);
};
