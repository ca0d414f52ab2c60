/** A message of a published log: one part of a page's body, and the page's other members as headers. */
import { headers as makeHeaders, type MsgHdrs } from "@nats-io/transport-node";
import type { StreamKey } from "../Model.ts";
import type { LoggedPage } from "../PageLog.ts";

/** A page without its body, and which of the messages of the page this is. */
export interface PageMessage {
  readonly page: Omit<LoggedPage, "body">;
  /** Number of this part, from 1. */
  readonly part: number;
  readonly parts: number;
}

/** Writes the headers. Ids are JSON texts, because they may hold any character. */
export const encodeHeaders = ({ page, part, parts }: PageMessage): MsgHdrs => {
  const headers = makeHeaders();
  const values = {
    Version: page.seq,
    "Requested-Id": asciiJson(page.requestedId ?? null),
    "Next-Id": asciiJson(page.nextId),
    "Received-At": page.receivedAt,
    "Follows-Gap": page.followsGap,
    "Content-Encoding": page.encoding,
    "Raw-Bytes": page.rawBytes,
    Checksum: page.checksum,
    Rows: page.rowCount,
    Part: part,
    Parts: parts,
  };
  for (const [name, value] of Object.entries(values)) headers.set(name, String(value));
  return headers;
};

/** Reads the headers that `encodeHeaders` writes. */
export const readMessage = (key: StreamKey, headers: MsgHdrs): PageMessage => ({
  page: {
    key,
    seq: BigInt(headers.get("Version")),
    requestedId: (JSON.parse(headers.get("Requested-Id")) as string | null) ?? undefined,
    nextId: JSON.parse(headers.get("Next-Id")) as string,
    receivedAt: Number(headers.get("Received-At")),
    followsGap: headers.get("Follows-Gap") === "true",
    encoding: headers.get("Content-Encoding"),
    rawBytes: Number(headers.get("Raw-Bytes")),
    checksum: headers.get("Checksum"),
    rowCount: Number(headers.get("Rows")),
  },
  part: Number(headers.get("Part")),
  parts: Number(headers.get("Parts")),
});

/** JSON in ASCII: headers keep no other characters. */
const asciiJson = (value: string | null): string =>
  JSON.stringify(value).replaceAll(/[^\u0020-\u007e]/gu, (character) =>
    character
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
