/**
 * HTML that is safe to fill: every value put into `html` is escaped, unless it is HTML made by
 * `html` itself.
 */
import type { Platform } from "../platform/Platform.ts";

/** A piece of finished HTML. */
export class Html {
  /** The markup. */
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

type Value = string | number | Html | undefined | ReadonlyArray<Html>;

/** Markup with its values escaped; an absent value leaves nothing. */
export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html(parts.map((part, index) => part + render(values[index])).join(""));

const render = (value: Value): string => {
  if (value === undefined) return "";
  if (value instanceof Html) return value.markup;
  if (Array.isArray(value)) return value.map((item: Html) => item.markup).join("");
  return escape(String(value));
};

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (character) => ENTITIES[character] ?? "");

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0 auto; max-width: 40rem; padding: 2rem 1rem }
h1 { font-size: 1.4rem }
.warning { border: 2px solid #b45309; border-radius: .4rem; padding: .6rem 1rem }
.note { opacity: .75; font-size: .85rem }
ul { padding-left: 1.2rem }
form { display: inline-block; margin: .2rem .4rem .2rem 0 }
button { font: inherit; padding: .4rem 1rem; border-radius: .4rem; border: 1px solid currentColor; background: none; cursor: pointer }
button.main { background: #1d4ed8; border-color: #1d4ed8; color: #fff }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; padding: .3rem .6rem .3rem 0; vertical-align: top }
code { font-size: .9em }
`;

let styleHash: string | undefined;

/** The one source of style that the content security policy lets in. */
export const styleSource = (platform: Platform): string => {
  if (styleHash === undefined) {
    const digest = platform.sha256(STYLE, "base64url").replaceAll("-", "+").replaceAll("_", "/");
    styleHash = `'sha256-${digest}='`;
  }
  return styleHash;
};

/**
 * The element as one piece: a space more between its tags and the hash would not be that of its
 * content.
 */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** A whole page. */
export const page = (title: string, body: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Game Data sandbox</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        ${body}
        <p class="note">
          This is a sandbox for development and tests. It protects nothing: do not use it in
          production.
        </p>
      </body>
    </html> `.markup;
