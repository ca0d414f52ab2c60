/** Texts around a payload, and the payload in them. */

const PAYLOAD = "AAAABgMCAQABAAA=";
const SITE = "https://www.example.com";
const passive = { tree: "passive", isFullscreen: false };

interface UrlCase {
  readonly id: string;
  readonly why: string;
  readonly text: string;
  readonly lenient?: boolean;
  readonly found?: { readonly payload: string };
  readonly refused?: string;
}

/** All URL cases. */
export const urls = (): ReadonlyArray<UrlCase> => {
  const cases: Array<UrlCase> = [];
  const find = (id: string, why: string, text: string, found: object = {}, payload = PAYLOAD) =>
    cases.push({ id, why, text, found: { payload, ...found } });
  const refuse = (id: string, why: string, text: string, refused: string) =>
    cases.push({ id, why, text, refused });

  find("bare", "A bare payload is taken as it is.", PAYLOAD);
  find("white-space", "White space around a payload is dropped.", `\t ${PAYLOAD} \n`);
  find("escaped", "“%3D” is an escaped padding.", PAYLOAD.replace("=", "%3D"));
  find("escaped-lower", "“%3d” is the same.", PAYLOAD.replace("=", "%3d"));
  find(
    "bare-query",
    "A query behind a bare payload names accounts; it is dropped.",
    `${PAYLOAD}?accountName=x`,
  );
  find("bare-fragment", "A fragment behind a bare payload is dropped.", `${PAYLOAD}#top`);
  for (const page of ["passive", "atlas"] as const)
    for (const isFullscreen of [false, true])
      for (const gameVersion of [undefined, "3.26", "3.26.0", "3.27.0g"])
        for (const variant of [undefined, "ruthless", "alternate", "ruthless-alternate"]) {
          const path = [
            `${isFullscreen ? "fullscreen-" : ""}${page}-skill-tree`,
            gameVersion,
            variant,
            PAYLOAD,
          ].filter((part) => part !== undefined);
          find(
            `path-${path.slice(0, -1).join("-")}`,
            `The payload is the last segment of /${path.slice(0, -1).join("/")}/.`,
            `${SITE}/${path.join("/")}`,
            {
              tree: page,
              isFullscreen,
              ...(gameVersion === undefined ? {} : { gameVersion }),
              ...(variant === undefined ? {} : { variant }),
            },
          );
        }
  const page = `${SITE}/passive-skill-tree/${PAYLOAD}`;
  find("http", "Plain http is found as well.", page.replace("https", "http"), passive);
  find("no-scheme", "A scheme may be missing.", page.slice("https://".length), passive);
  find(
    "port",
    "A host with a port is no scheme.",
    `localhost:8080/passive-skill-tree/${PAYLOAD}`,
    passive,
  );
  find("slash", "A slash at the end changes nothing.", `${page}/`, passive);
  find(
    "query",
    "The query holds names; it is dropped.",
    `${page}?accountName=Ann%231234&characterName=B`,
    passive,
  );
  find("fragment", "A place on the page is dropped.", `${page}#comments`, passive);
  find("escaped-path", "Padding may be escaped in the path.", page.replace("=", "%3D"), passive);
  find("escaped-twice", "Padding may be escaped twice.", page.replace("=", "%253D"), passive);
  find("escaped-whole", "The whole URL may be escaped.", encodeURIComponent(page), passive);
  find(
    "language",
    "Segments in front of the page do not matter.",
    page.replace("/passive", "/us/passive"),
    passive,
  );
  for (const [name, mark] of Object.entries({
    dot: ".",
    comma: ",",
    colon: ":",
    semicolon: ";",
    exclamation: "!",
    dots: "...",
    parenthesis: ").",
    quote: '"',
  }))
    find(
      `behind-${name}`,
      `“${mark}” behind a URL belongs to the sentence.`,
      `${page}${mark}`,
      passive,
    );
  for (const [name, text] of Object.entries({
    markdown: `[My tree](${page})`,
    "markdown-title": `[My tree](${page} "title")`,
    autolink: `<${page}>`,
    html: `<a href="${page}">tree</a>`,
    quotes: `"${page}"`,
    apostrophes: `'${page}'`,
    typographic: `“${page}”`,
    guillemets: `«${page}»`,
    backticks: `\`${page}\``,
    parentheses: `(${page})`,
    sentence: `Look at ${page} and tell me`,
    lines: `one\n${page}\nthree`,
    json: `{"url":"${page}"}`,
  }))
    find(`inside-${name}`, `A URL is found inside ${name}.`, text, passive);
  find("sentence-bare", "A payload is found in a sentence.", `try ${PAYLOAD}, it works`);
  find(
    "character-page",
    "Planners have the payload as the last segment.",
    `https://planner.example/character/${PAYLOAD}`,
  );
  find("hash", "Planners have the payload as the fragment.", `https://planner.example/#${PAYLOAD}`);
  find(
    "hash-version",
    "Planners have the version in the query.",
    `https://planner.example/?v=3.6.0-ruthless#${PAYLOAD}`,
    {
      gameVersion: "3.6.0",
      variant: "ruthless",
    },
  );
  for (const name of ["q", "url", "u"])
    find(
      `redirect-${name}`,
      `A redirect carries the URL in “${name}”.`,
      `https://search.example/url?${name}=${encodeURIComponent(`${page}?accountName=x`)}`,
      passive,
    );
  cases.push({
    id: "lenient",
    why: "With the lenient option “+” and “/” become “-” and “_”.",
    text: "AAAABv+/AAAA",
    lenient: true,
    found: { payload: "AAAABv-_AAAA" },
  });

  refuse("empty", "There is nothing to read.", "", "empty");
  refuse("blank", "White space is nothing to read.", " \n\t", "empty");
  for (const [i, code] of [
    "eAENwMENAA",
    "eF4NwMENAA",
    "eJwNwMENAA",
    "eNoNwMENAA",
    "eNrtVVtv2zYUfh",
  ].entries())
    refuse(
      `build-code-${i}`,
      "zlib data in base64 is the export of a build planner.",
      code,
      "build-code",
    );
  refuse("prose", "Prose holds no URL.", "hello world", "not-a-url");
  refuse(
    "other-scheme",
    "Other schemes are not looked into.",
    `ftp://example.com/passive-skill-tree/${PAYLOAD}`,
    "not-http",
  );
  find("script", "The text around a payload is never judged.", `javascript:alert("${PAYLOAD}")`);
  find("word-with-colon", "A word with a colon is no scheme.", `Build: ${page}`, passive);
  find("label", "A payload is found behind a label.", `Notes: ${PAYLOAD}`);
  find("bbcode", "A URL is found in BBCode.", `[url=${page}]tree[/url]`, passive);
  find(
    "escaped-json",
    "JSON may escape slashes.",
    `{"u":"${page.replaceAll("/", "\\/")}"}`,
    passive,
  );
  refuse(
    "credentials",
    "A URL with credentials is refused.",
    `https://a:b@example.com/passive-skill-tree/${PAYLOAD}`,
    "not-http",
  );
  refuse("no-payload", "The page without a payload.", `${SITE}/passive-skill-tree/`, "no-payload");
  refuse("extra-segment", "Something stands behind the payload.", `${page}/extra`, "no-payload");
  refuse(
    "other-page",
    "Another page of the site.",
    `${SITE}/forum/view-thread/1234567`,
    "no-payload",
  );
  refuse(
    "other-place",
    "A place on another page.",
    `${SITE}/forum/view-thread/1234567#p456`,
    "no-payload",
  );
  return cases;
};
