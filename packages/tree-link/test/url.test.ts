import {
  buildUrl,
  type BuildUrlOptions,
  decodeUrl,
  extractPayload,
  TreeLinkUrlError,
} from "@game-data/tree-link/url";
import { decode, TreeLinkError } from "@game-data/tree-link";
import { afterEach, describe, expect, it } from "vitest";
import { payloadsOfUrl } from "../src/internal/urlPayload.ts";

const PAYLOAD = "AAAABgMCAQABAAA=";
const SITE = "https://www.example.com";

const TREE = `${SITE}/passive-skill-tree/${PAYLOAD}`;
const PASSIVE = { tree: "passive", isFullscreen: false };

/** The payload, whose padding was percent-encoded so many times. */
const escaped = (times: number): string =>
  times === 0 ? PAYLOAD : encodeURIComponent(escaped(times - 1));

/** The page of a tree in the query of another page, and that in another's. */
const redirected = (times: number, page = TREE): string =>
  times === 0 ? page : `https://a.example/?to=${encodeURIComponent(redirected(times - 1, page))}`;

/** What `vectors/urls.json` does not hold: it has the plain cases. */
describe("extractPayload", () => {
  it.each([
    ["a slash behind a character page", `https://planner.example/character/${PAYLOAD}/`, {}],
    ["a place on the page", `https://planner.example/character/${PAYLOAD}#comments`, {}],
    ["a comma behind a query", `${TREE}?accountName=x,`, PASSIVE],
    ["brackets in a Markdown link", `[My [old] tree](${TREE} "title")`, PASSIVE],
    ["a payload in backticks", `\`${PAYLOAD}\``, {}],
    ["a payload in guillemets", `«${PAYLOAD}»!`, {}],
    ["a redirect", redirected(1), PASSIVE],
    ["three redirects in one another", redirected(3), PASSIVE],
    ["a redirect encoded twice", `${SITE}/t3?x=${encodeURIComponent(redirected(1))}`, PASSIVE],
    ["a payload that was encoded three times", `${SITE}/passive-skill-tree/${escaped(3)}`, PASSIVE],
    ["a version that is none", `https://planner.example/?v=x-y#${PAYLOAD}`, {}],
    ["a version alone", `https://planner.example/?v=3.6.0#${PAYLOAD}`, { gameVersion: "3.6.0" }],
    ["no variant", `https://planner.example/?v=3.6.0-x#${PAYLOAD}`, { gameVersion: "3.6.0" }],
    ["a bare payload with parameters", `${PAYLOAD}&characterName=B`, {}],
    ["a character page of a language", `https://planner.example/en/character/${PAYLOAD}`, {}],
    ["a colon in the path", `example.com/a:b/passive-skill-tree/${PAYLOAD}`, PASSIVE],
    ["an escaped http URL", encodeURIComponent(TREE.replace("https", "http")), PASSIVE],
    ["a redirect to http", redirected(1, TREE.replace("https", "http")), PASSIVE],
    ["a redirect beside what is no URL", `https://a.example/?u=https:&to=${TREE}`, PASSIVE],
    [
      "a redirect to a fragment",
      redirected(1, `https://b.example/?v=3.6.0#${PAYLOAD}`),
      { gameVersion: "3.6.0" },
    ],
    ["the page behind a sign-in", `${SITE}/login?next=/passive-skill-tree/${PAYLOAD}`, PASSIVE],
    ["the last of twenty URLs", `${SITE}/?${"u=/x&".repeat(19)}u=${TREE}`, PASSIVE],
  ])("finds %s [TL-01]", (_, text, rest) => {
    expect(extractPayload(text)).toStrictEqual({ payload: PAYLOAD, ...rest });
  });

  it.each([
    ["a build code that is cut short", "eNrAAAA", "build-code"],
    ["a build code in a sentence", "my build: eNrtVVtv2zYUfh_g_0D4eYFlJ7", "build-code"],
    ["credentials in a sentence", `see https://u:p@example.com/x/${PAYLOAD}`, "not-http"],
    ["a user's name", `https://user@example.com/passive-skill-tree/${PAYLOAD}`, "not-http"],
    ["a password alone", `https://:pass@example.com/passive-skill-tree/${PAYLOAD}`, "not-http"],
    ["what was encoded four times", `${SITE}/passive-skill-tree/${escaped(4)}`, "no-payload"],
    ["a short word that begins like a build code", "see eNrtVVt here", "not-a-url"],
    ["a sentence that begins like a build code", "see eNrtVVtv(there) here", "not-a-url"],
    ["what ends like a build code", "see eNrtVV(tvthere1234567", "not-a-url"],
    ["credentials in a redirect", redirected(1, TREE.replace("www", "u:p@www")), "no-payload"],
    ["a parameter without a scheme", `${SITE}/?q=x/${TREE}`, "no-payload"],
    ["a last segment that is shorter than any link", `${SITE}/character/AAAABgAB`, "no-payload"],
    ["more than three redirects in one another", redirected(4), "no-payload"],
    ["a query of more than twenty URLs", `${SITE}/?${"u=/x&".repeat(20)}u=${TREE}`, "no-payload"],
    ["undefined", undefined, "empty"],
    ["null", null, "empty"],
    ["a number", 7, "empty"],
    ["an object that is no text", Object.create(null), "empty"],
    ["a text that is too long", "A".repeat(1_050_001), "too-long"],
  ] as const)("refuses %s", (_, text, reason) => {
    expect(() => extractPayload(text as string)).toThrow(new TreeLinkUrlError(reason));
  });

  it("reads the standard alphabet where it is told to be lenient", () => {
    const url = `${SITE}/passive-skill-tree/3.26.0/AAAABv+/AAAA`;
    expect(() => extractPayload(url)).toThrow(TreeLinkUrlError);
    expect(extractPayload(url, { lenient: true }).payload).toBe("AAAABv-_AAAA");
    expect(extractPayload("AAAABv+/AAAA", { lenient: true })).toEqual({ payload: "AAAABv-_AAAA" });
    const fragment = "https://planner.example/#AAAABv+/AAAA";
    expect(extractPayload(fragment, { lenient: true }).payload).toBe("AAAABv-_AAAA");
  });

  it("reads as many characters as it says", () => {
    expect(extractPayload("A".repeat(1_050_000)).payload).toHaveLength(1_050_000);
  });

  it("gives up on a text of many words in bounded time", () => {
    expect(() => extractPayload("a/ ".repeat(350_000))).toThrow(TreeLinkUrlError);
  });

  it("is an error without the text, whose message says what to do", () => {
    const error = new TreeLinkUrlError("build-code");
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: "TreeLinkUrlError",
      _tag: "TreeLinkUrlError",
      reason: "build-code",
      message: "This is the code of a build planner. Export a passive-tree link there instead.",
      help: "https://game-data.github.io/game-data/errors/treelinkurlerror/",
    });
    expect(error.isRetryable).toBe(false);
  });

  it("leaves a payload with a wrong character to the decoder, which names the place", () => {
    const { payload } = extractPayload("AAAABg*BAAAA");
    expect(() => decode(payload)).toThrow("Invalid character, at character 6.");
  });

  it("keeps names out of the result and the error", () => {
    expect(() => extractPayload(`${SITE}/forum?accountName=Secret`)).toThrow(/^(?!.*Secret)/u);
    expect(JSON.stringify(extractPayload(`${TREE}?accountName=Secret`))).not.toContain("Secret");
  });
});

describe("buildUrl", () => {
  it("builds what `extractPayload` finds", () => {
    const shape = { gameVersion: "3.26.0", variant: "ruthless", isFullscreen: true } as const;
    const url = buildUrl(PAYLOAD, { base: SITE, tree: "atlas", ...shape });
    expect(url).toBe(`${SITE}/fullscreen-atlas-skill-tree/3.26.0/ruthless/${PAYLOAD}`);
    expect(extractPayload(url)).toEqual({ payload: PAYLOAD, tree: "atlas", ...shape });
  });

  it("opens the passive tree unless told otherwise, and keeps a path of the base", () => {
    for (const base of [`${SITE}/en`, `${SITE}/en/`, "http://example.com/en"])
      expect(buildUrl(PAYLOAD, { base })).toBe(
        `${base.replace(/\/$/u, "")}/passive-skill-tree/${PAYLOAD}`,
      );
  });

  it.each([
    ["payload", "a/b", {}],
    ["payload", "", {}],
    ["payload", undefined, {}],
    ["base", PAYLOAD, { base: undefined }],
    ["base", PAYLOAD, { base: Symbol("base") }],
    ["base", PAYLOAD, { base: "www.example.com" }],
    ["base", PAYLOAD, { base: "www.example.com/https:" }],
    ["base", PAYLOAD, { base: "ftp://example.com" }],
    ["base", PAYLOAD, { base: "https://user:word@example.com" }],
    ["base", PAYLOAD, { base: `${SITE}/en?lang=en` }],
    ["base", PAYLOAD, { base: `${SITE}/#top` }],
    ["tree", PAYLOAD, { tree: "../atlas" }],
    ["tree", PAYLOAD, { tree: "atlas/.." }],
    ["gameVersion", PAYLOAD, { gameVersion: "3.26.0/.." }],
    ["variant", PAYLOAD, { variant: "hard" }],
    ["isFullscreen", PAYLOAD, { isFullscreen: "yes" }],
  ])("names the parameter %s where it is %s %j", (parameter, payload, options) => {
    const build = () => buildUrl(payload!, { base: SITE, ...options } as BuildUrlOptions);
    expect(build).toThrow(TreeLinkUrlError);
    const message = `A parameter of buildUrl is no part of a link: ${parameter}.`;
    expect(build).toThrow(
      expect.objectContaining({ reason: "invalid-parameter", parameter, message }),
    );
    expect(() => buildUrl(PAYLOAD, undefined as never)).toThrow("no part of a link: base.");
  });
});

describe("decodeUrl", () => {
  it.each([PAYLOAD, TREE, `Build: <${TREE}?accountName=x>.`, redirected(2)])(
    "reads the link in %s",
    (text) => expect(decodeUrl(text)).toEqual(decode(PAYLOAD)),
  );

  it("tells apart no payload, no link and a link that is too long", () => {
    expect(() => decodeUrl("  ")).toThrow(TreeLinkUrlError);
    expect(() => decodeUrl(`${SITE}/passive-skill-tree/AAAABgMC`)).toThrow(TreeLinkError);
    expect(() => decodeUrl(TREE, { maxLength: 8 })).toThrow("Too long, at character 8.");
    expect(decodeUrl("AAAABv+/AAAA", { lenient: true }).version).toBe(6);
  });
});

/** A query keeps a URL from the way of plain ones. */
it("reads plain URLs as `URL` reads them", () => {
  const plain = /^(?:https?:\/\/)?[a-z]+(?:\.[a-z]+)+\/[^?]*$/u;
  const hosts = ["a.b", "x--y.a", "xn--a.b", "1.a", "a.1", "a.0x1", "a-.b", "A.b", "a_b.c", "a..b"];
  const paths = [
    ...["P", "x/P", "P/", "%41P", "%2e/P", "%2E%2e/P", "./P", "a/../P", "P%3D", "P%FF", "P%"],
    ...["//P", "x\\P", "P~", "passive-skill-tree/P", "#P", "x#P%3d", "P#x", "\u00fc/P", "\u212a/P"],
  ];
  const read = (text: string) => payloadsOfUrl(text, false);
  const texts = ["", "http://", "https://"].flatMap((scheme) =>
    hosts.flatMap((host) =>
      paths.map((path) => `${scheme}${host}/${path.replace("P", "AAAABgAAAAAA")}`),
    ),
  );
  expect(texts.filter((text) => plain.test(text)).length).toBeGreaterThan(50);
  for (const text of texts) {
    const [path, fragment = ""] = text.split(/(?=#)/u);
    expect([text, read(text)]).toEqual([text, read(`${path}?x${fragment}`)]);
  }
});

describe("URL.parse", () => {
  const { parse } = URL;
  afterEach(() => void (URL.parse = parse));

  it("may look at its `this`, as Deno's does", () => {
    URL.parse = function strict(this: unknown, ...input) {
      if (this !== URL) throw new TypeError("this is not a constructor");
      return parse.apply(URL, input);
    };
    expect(extractPayload(TREE)).toEqual({ payload: PAYLOAD, ...PASSIVE });
  });

  it("may be missing, as in browsers before 2024", () => {
    Reflect.deleteProperty(URL, "parse");
    expect(extractPayload(TREE)).toEqual({ payload: PAYLOAD, ...PASSIVE });
    expect(() => extractPayload("https://a.b:99999/")).toThrow(new TreeLinkUrlError("not-a-url"));
  });
});
