/** Writes and reads the messages of a published log: parts of a page's body, with a header. */
import { headers as makeHeaders, type MsgHdrs, type NatsConnection } from "@nats-io/transport-node";
import type { StreamKey } from "../Model.ts";
import type { LoggedPage } from "../PageLog.ts";

/** A log, and the JetStream stream that holds a copy of it. */
export interface LogCopy {
  /** The connection, which the caller opens and closes. */
  readonly nats: NatsConnection;
  readonly key: StreamKey;
  /** Name of the JetStream stream. */
  readonly stream: string;
  /**
   * `caughtUp` ends a copy at the end of the log, and a read at the end of the copy. Default
   * `forever`.
   */
  readonly until?: "caughtUp" | "forever";
}

/** Header of a message: a page without its body, and which part of the body the message has. */
export interface PageMessage {
  readonly page: Omit<LoggedPage, "body">;
  /** Number of this part, from 1. */
  readonly part: number;
  readonly parts: number;
}

const HEADER = "Game-Data-Page";

type PageHeader = Omit<LoggedPage, "body" | "key" | "seq"> &
  Pick<PageMessage, "part" | "parts"> & { readonly seq: string };

/** Writes the header as JSON in ASCII, because NATS headers keep no other characters. */
export const encodeHeaders = ({ page, part, parts }: PageMessage): MsgHdrs => {
  const { body: _, key: __, seq, ...facts } = page as LoggedPage;
  const text = JSON.stringify({ ...facts, seq: String(seq), part, parts } satisfies PageHeader);
  const headers = makeHeaders();
  headers.set(HEADER, text.replaceAll(/[^ -~]/gu, escapeCharacter));
  return headers;
};

const escapeCharacter = (character: string): string =>
  character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** Reads the header that `encodeHeaders` writes. */
export const readMessage = (key: StreamKey, headers: MsgHdrs): PageMessage => {
  const { part, parts, seq, ...facts } = JSON.parse(headers.get(HEADER)) as PageHeader;
  return { page: { ...facts, key, seq: BigInt(seq) }, part, parts };
};
