/**
 * Captured responses, as a recording for the sandbox and as what the steps compare with.
 */
import type { SandboxOptions } from "@game-data/sandbox";
import * as records from "@game-data/schemas";
import { check, recordKinds } from "@game-data/schemas/Check";
import { type Captured, type CapturedFile, readCaptured, treesIn } from "./captured.ts";
import { charactersIn, tabsIn, writeRecording } from "./writeRecording.ts";

/** The content of a folder, its counts, and the names to request. */
export type Replay = Awaited<ReturnType<typeof openReplay>>;

/** Reads a folder, and writes what of it is served into `recording`. */
export const openReplay = async (
  folder: string,
  recording: string,
  world: SandboxOptions["world"],
) => {
  const { captured, refused } = setAside(readCaptured(folder));
  const counts = await writeRecording(captured, recording, world);
  const reasons = captured.files.map(({ notServed }) => notServed);
  const uuid = captured.files.find(({ kind }) => kind === "Profile")?.body["uuid"];
  return {
    ...captured,
    /** Records that are not served, because their schema refuses them. */
    refused,
    counts,
    /** Numbers of files that the sandbox does not serve, by the reason. */
    notServed: [...Map.groupBy(reasons, (reason) => reason)].flatMap(([reason, { length }]) =>
      reason === undefined ? [] : [[reason, length] as const],
    ),
    /** The account of the captured profile. */
    uuid: typeof uuid === "string" ? uuid : undefined,
    characters: charactersIn(captured),
    tabIds: tabsIn(captured).map(({ id }) => String(id)),
    trees: treesIn(captured),
  };
};

/** A record that its schema refuses. */
export interface RefusedRecord {
  /** The file in the folder. */
  readonly file: string;
  /** The place in the file that is at fault (RFC 6901). */
  readonly pointer: string;
  /** The name of the record, such as `Character`. */
  readonly record: string;
  readonly reason: string;
}

/** Kinds of bodies that a program requests one by one, and a client refuses as a whole. */
const REQUESTED = new Set(["Character", "League", "Profile", "StashTab"]);

/**
 * Leaves out the records that schemas refuse, so that one of them does not end the tour.
 *
 * A client refuses the whole response that holds such a record. The tour therefore serves the
 * response without it, and reports it with its file and pointer. Records of ladders, streams and
 * bare lists stay, because no step ends on them: the step that checks every record counts them.
 */
const setAside = (captured: Captured) => {
  const refused: Array<RefusedRecord> = [];
  const files = captured.files.flatMap((file): ReadonlyArray<CapturedFile> => {
    const { body, kind = "", member, notServed } = file;
    if (notServed !== undefined || !REQUESTED.has(kind)) return [file];
    const isList = Array.isArray(body[member]);
    const kept = file.records.filter((value, index) => {
      const found = refusalOf(kind, value);
      if (found === undefined) return true;
      const at = [member, ...(isList ? [index] : [])].map((part) => part && `/${part}`).join("");
      const { pointer, reason } = found;
      refused.push({ file: file.path, pointer: at + pointer, record: kind, reason });
      return false;
    });
    if (kept.length === file.records.length) return [file];
    return isList ? [{ ...file, records: kept, body: { ...body, [member]: kept } }] : [];
  });
  const announced = captured.announced && captured.announced - refused.length;
  return { captured: { ...captured, files, announced }, refused };
};

/** The compiled check is fast; only a refused record is explained. */
const refusalOf = (record: string, value: unknown) => {
  const plain = (records as unknown as Readonly<Record<string, PlainCheck>>)[record];
  if (plain?.is(value) === true) return undefined;
  const [issue] = check(recordKinds.get(record)!, value).issues;
  if (issue === undefined) return undefined;
  const { actual, expected, kind, pointer } = issue;
  return { pointer, reason: `${kind}: expected ${expected}, got ${actual}` };
};

interface PlainCheck {
  readonly is: (value: unknown) => boolean;
}
