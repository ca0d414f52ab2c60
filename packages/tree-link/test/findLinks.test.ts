/**
 * Links in the texts that people write: chat, forums, Markdown, BBCode, JSON, HTML, redirects. In
 * the table `U` stands for a URL, `P` for a bare payload, `V` for a second URL.
 */
import { extractPayload, findLinks } from "@game-data/tree-link/url";
import { describe, expect, it } from "vitest";
import { HOSTILE_PARTS, megabyteOf } from "../bench/hostileTexts.ts";
import { urls } from "../scripts/vectors/urls.ts";

const P = "AAAABgMCAQABAAA=";
const U = `https://www.example.com/passive-skill-tree/3.26.0/${P}`;
const V = "https://www.example.com/passive-skill-tree/AAAABgAAAfdPAAA=";
const ENCODED = encodeURIComponent(U);

/** Texts with U, or P, as the only link. */
const ONE: ReadonlyArray<string> = [
  ...["Build: U", "PoB:\nU", "Witch: [tree](U)", "Notes: P", "view-source:U"],
  ...["U", "  U\n", "U.", "U,", "U!", "U?", "U;", "U:", "U…", "U...", "U?!", "(U)", "(U).", "[U]"],
  ...[
    "<U>",
    '"U"',
    "'U'",
    "`U`",
    "```\nU\n```",
    "“U”",
    "„U“",
    "«U»",
    "‘U’",
    "「U」",
    "（U）",
    "【U】",
  ],
  ...["*U*", "**U**", "_ U _", "__U__", "~~U~~", "||U||", "> U", "- U", "1. U", "• U", "#1 U"],
  ...["[My tree](U)", '[My tree](U "title")', "![x](U)", "[x]: U", "see [1] U", "[U U2](x)"],
  ...["[url=U]tree[/url]", "[url]U[/url]", '[url="U"]tree[/url]', "[b]U[/b]", "[quote]U\n[/quote]"],
  ...['<a href="U">x</a>', "<a href='U'>x</a>", "<a href=U>x</a>", "<p>U</p>", "U<br>", "U&nbsp;x"],
  ...['{"url":"U"}', '{"note":"my U, see"}', '["U"]', "url=U", "url: U", "link=U;", "a|U|b", "U|b"],
  ...[
    "{{U}}",
    "${U}",
    "<Ann> U",
    "[12:30] Ann: U",
    "@Ann: U",
    "Ann:U",
    "Ann says:U",
    "re:U",
    "🌳U",
  ],
  ...[
    "one\r\nU\r\ntwo",
    "\u200bU\u200b",
    "\ufeffU",
    "U\0",
    "try P, it works",
    "(P)",
    '"P"',
    "P.",
    "P\nx",
  ],
  ...[
    "tree=x; P",
    "Ann: P",
    "`P`",
    "<P>",
    "[P]",
    "https://www.example.com/forum U",
    "a.b U",
    "e.g. U",
  ],
  ...[
    "1/2 U",
    "and/or U",
    "mail me@x.org/a U",
    "ftp://x.org/a U",
    "AAAAB U",
    "AAAABgAA U",
    "x.y/(U)",
    "https://a.b/c(d P",
    "eNrtVVt U",
  ],
  ...[
    "_U_",
    "*_U_*",
    "U🌳",
    "🌳U🌳",
    "\u202aU\u202c",
    "\u2068U\u2069",
    "U—and",
    "U–x",
    "U→x",
    "U•",
  ],
];

const fill = (text: string) =>
  text
    .replaceAll("U2", "x")
    .replaceAll("U", () => U)
    .replace(/\bP\b(?!oB)/u, () => P);

describe("findLinks", () => {
  it("has a table of more than 75 texts", () => {
    expect(new Set(ONE).size).toBeGreaterThan(75);
  });

  it.each(ONE)("finds the only link of %j", (template) => {
    const text = fill(template);
    const links = findLinks(text);
    expect(links.map(({ payload }) => payload)).toEqual([P]);
    const [{ end, start } = { end: 0, start: 0 }] = links;
    expect([U, P]).toContain(text.slice(start, end));
    expect(extractPayload(text).payload).toBe(P);
  });

  it.each([
    ["two lines", `${U}\n${V}`],
    ["a sentence", `from ${U} to ${V}.`],
    ["Markdown", `[a](${U}) and [b](${V})`],
    ["a list", `${U},\n${V},`],
    ["JSON", JSON.stringify([{ url: U }, { url: V }])],
    ["values with commas", `${U},${V}`],
    ["values with semicolons", `${U};${V};x`],
    ["a comparison", `${U} → ${V}`],
    ["bare payloads", `${P} AAAABgAAAfdPAAA=`],
  ])("finds both links of %s, in their order and at their places", (_, text) => {
    const links = findLinks(text);
    expect(links.map(({ payload }) => payload)).toEqual([P, "AAAABgAAAfdPAAA="]);
    expect([U, P]).toContain(text.slice(links[0]!.start, links[0]!.end));
    expect([V, "AAAABgAAAfdPAAA="]).toContain(text.slice(links[1]!.start, links[1]!.end));
  });

  it.each([
    ["a redirect", `see https://search.example/?q=${ENCODED}&x=1 please`],
    ["an escaped URL", `see ${ENCODED} please`],
    ["a URL escaped twice", `see ${encodeURIComponent(ENCODED)} please`],
    ["a URL escaped three times", `see ${encodeURIComponent(encodeURIComponent(ENCODED))} please`],
    ["escaped slashes of JSON", `{"u":"${U.replaceAll("/", "\\/")}"}`],
    ["an archive", `see https://archive.example/2024/${U} please`],
    ["no scheme", `see ${U.slice(8)} please`],
    ["no scheme, as HTML has it", `<a href="${U.slice(6)}">`],
    ["no scheme, in brackets", `(${U.slice(8)})`],
    ["a query with a name", `see ${U}?accountName=Ann%231234 please`],
    ["escaped padding", `see ${U.replace("=", "%3D")} please`],
    ["a scheme in capitals", `see HTTPS${U.slice(5)} please`],
  ])("finds the payload of %s", (_, text) => {
    expect(findLinks(text).map(({ payload }) => payload)).toEqual([P]);
  });

  it("finds every link of a redirect, at the place of its URL", () => {
    const redirect = `https://r.example/?a=${ENCODED}&b=/x&c=${encodeURIComponent(V)}`;
    const links = findLinks(`see ${redirect} please`);
    expect(links.map(({ end, payload, start }) => [payload, start, end])).toEqual([
      [P, 4, 4 + redirect.length],
      ["AAAABgAAAfdPAAA=", 4, 4 + redirect.length],
    ]);
    expect(extractPayload(redirect)).toEqual({
      payload: P,
      tree: "passive",
      gameVersion: "3.26.0",
      isFullscreen: false,
    });
  });

  it.each([
    ...["", "hello world", "https://", "a.b/", "AAAAB", "AAAABgAA", "x@y.org/AAAABgMCAQABAAA"],
    ...["https://a:b@www.example.com/passive-skill-tree/AAAABgMCAQABAAA=", "xAAAABgMCAQABAAA="],
    ...["/AAAABgMCAQABAAA=", "https://www.example.com/forum/view-thread/1234567#p1"],
  ])("finds none in %j", (text) => {
    expect(findLinks(text)).toEqual([]);
  });

  it.each([undefined, null, 7, {}, Object.create(null)])(
    "finds none in what is no text",
    (text) => {
      expect(findLinks(text as string)).toEqual([]);
    },
  );

  it.each([
    "https://a.b/a_(b)/P",
    "https://a.b/a_(b_(c)_d)/P",
    "https://a.b/(c)(d)/P",
    "https://a.b/c/AAAABAAAAA",
  ])("finds the whole of %s in brackets", (url) => {
    const text = `see (${fill(url)}) and (this)`;
    const [found, ...others] = findLinks(text);
    expect(others).toEqual([]);
    expect(text.slice(found?.start, found?.end)).toBe(fill(url));
  });

  it("finds nothing in what is no escape, and the link of a redirect once", () => {
    for (const end of ["%zz", "%z", "%zzAA"])
      expect(findLinks(`https://a.b/AAAABAABAAAB${end} https://a.b/#AAAABAABAAAB${end}`)).toEqual(
        [],
      );
    expect(findLinks("https://a.b/r?u=https://c.d/AAAABAABAAAB")).toHaveLength(1);
  });

  it("finds none of nine characters, the shortest has ten", () => {
    expect(findLinks("AAAABAAAAA")).toEqual([{ payload: "AAAABAAAAA", start: 0, end: 10 }]);
    expect(findLinks("AAAABAAAA https://a.b/AAAABAAAA")).toEqual([]);
  });

  it("reads standard base64 where it is told to", () => {
    const [found] = findLinks("see AAAABv+/AAAA, please", { lenient: true });
    expect(found).toEqual({ payload: "AAAABv-_AAAA", start: 4, end: 16 });
    expect(findLinks("see AAAABv+/AAAA, please")).toEqual([]);
  });

  it("finds what extractPayload finds, behind a word and in Markdown", () => {
    // These three are read as a whole text alone.
    const whole = new Set(["port", "lenient"]);
    for (const { found, id, text } of urls()) {
      if (found === undefined || whole.has(id) || text.includes("\n")) continue;
      expect([id, extractPayload(`Build: ${text}`)]).toEqual([id, found]);
      if (/[()[\]]/u.test(text)) continue;
      expect([id, extractPayload(`[x](${text})`)]).toEqual([id, found]);
    }
  });

  it("looks for no host inside of a URL without a link", () => {
    expect(findLinks("a.b/x?u=c.d/AAAABgAAAAAA")).toEqual([]);
  });

  it("undoes an escape at the start", () => {
    expect(extractPayload("%41AAABgAAAAAA").payload).toBe("AAAABgAAAAAA");
  });

  it("undoes the escapes of a redirect beside those of no text", () => {
    const escaped = "https%3A%2F%2Fa.b%2Fpassive-skill-tree%2FAAAABgAAAAAA%3FaccountName%3D%FF";
    expect(extractPayload(escaped).payload).toBe("AAAABgAAAAAA");
  });

  it.each(HOSTILE_PARTS)("reads a megabyte of %j in linear time", (part) => {
    const text = megabyteOf(part);
    const before = process.cpuUsage();
    findLinks(text);
    const { system, user } = process.cpuUsage(before);
    // Quadratic time would be hours; no machine is a hundred times slower than one. The benchmark
    // measures these texts.
    expect((system + user) / 1000).toBeLessThan(15_000);
  });
});
