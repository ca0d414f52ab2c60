/**
 * The page that the user's browser shows at the end: plain, self-contained, and without anything
 * that arrived (C24).
 */
import type { ServerResponse } from "node:http";
import { HTML, page, PAGE_HEADERS } from "../internal/page.ts";

/** Sentences of the page. */
export interface PageText {
  readonly accepted: string;
  readonly refused: string;
  readonly notFound: string;
}

const DEFAULT_TEXT: PageText = {
  accepted: "You are signed in. You can close this window.",
  refused: "Signing in did not work. Please return to the program.",
  notFound: "Nothing to see here.",
};

const STATUS = {
  accepted: 200,
  refused: 400,
  "not ours": 400,
  "bad request": 400,
  "not found": 404,
  method: 405,
} as const;

const HEADERS = { ...PAGE_HEADERS, connection: "close" } as const;

/** Sends the browser to an address of this receiver without a query. */
export const redirect = (response: ServerResponse, location: string): void => {
  response.writeHead(303, { ...HEADERS, location }).end();
};

/** Shows the page for an outcome. */
export const resultPage = (
  response: ServerResponse,
  outcome: keyof typeof STATUS,
  words: Partial<PageText> = {},
): void => {
  const text = { ...DEFAULT_TEXT, ...words };
  const sentence = outcome === "accepted" || outcome === "refused" ? text[outcome] : text.notFound;
  response.writeHead(STATUS[outcome], {
    ...HTML,
    ...HEADERS,
    ...(outcome === "method" && { allow: "GET" }),
  });
  response.end(page(escape(sentence)));
};

const escape = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
