/**
 * HTML that is safe to fill: every value put into `html` is escaped, unless it is HTML made by
 * `html` itself.
 */
import { STYLE } from "../generated/style.ts";

export class Html {
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
        <header class="masthead page-narrow">
          <span class="brand">Game Data sandbox</span>
        </header>
        <main class="page page-narrow">
          <div class="card">${body}</div>
          <p class="lead">
            This is a sandbox for development and tests. It protects nothing: do not use it in
            production.
          </p>
        </main>
      </body>
    </html> `.markup;
