/**
 * Sets captured records aside that the schemas refuse, so that one of them does not end the tour.
 *
 * A client refuses the whole response that holds such a record. The tour therefore replays a copy
 * of the folder without it, and reports it with its file and pointer. The folder itself is not
 * changed. Records of ladders, streams and bare lists stay, because no step ends on them: the step
 * that checks every record counts them.
 */
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Captured, readCaptured, recordsIn, requestedBodies } from "@game-data/captured";
import { check, recordKinds } from "@game-data/schemas/Check";
import * as records from "@game-data/schemas";

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

/** A folder without the refused records. */
export interface ReplayFolder {
  /** The folder to replay: a copy if records were refused. */
  readonly folder: string;
  readonly captured: Captured;
  readonly refused: ReadonlyArray<RefusedRecord>;
}

/** Reads a folder. A copy without the refused records is written to `scratch` if there are any. */
export const setRefusedAside = (folder: string, scratch: string): ReplayFolder => {
  const captured = readCaptured(folder);
  const found = requestedBodies(captured).flatMap(({ body, path }) => {
    const refused = refusedIn(body, path);
    return refused.length === 0 ? [] : [{ body, path, refused }];
  });
  if (found.length === 0) return { folder, captured, refused: [] };
  cpSync(folder, scratch, { recursive: true });
  for (const { body, path, refused } of found) {
    const kept = without(body, new Set(refused.map(({ index }) => index)));
    if (kept === undefined) rmSync(join(scratch, path));
    else writeFileSync(join(scratch, path), JSON.stringify(kept));
  }
  rewriteManifest(scratch, captured, new Map(found.map(({ path, refused }) => [path, refused])));
  return {
    folder: scratch,
    captured: { ...readCaptured(scratch), folder },
    refused: found.flatMap(({ refused }) => refused.map(({ record }) => record)),
  };
};

type Members = Captured["bodies"][number]["body"];

/** A refused record and its index in the list of the body. */
interface Refused {
  readonly record: RefusedRecord;
  readonly index: number;
}

const refusedIn = (body: Members, file: string): ReadonlyArray<Refused> => {
  const found = recordsIn(body);
  if (found === undefined) return [];
  const record = found.kind.replace("Character.passives", "Passives");
  const schema = recordKinds.get(record);
  if (schema === undefined) return [];
  const plain = (records as unknown as Readonly<Record<string, PlainCheck>>)[record];
  return found.records.flatMap((value, index) => {
    // The compiled check is fast; only a refused record is explained.
    if (plain?.is(value) === true) return [];
    const [issue] = check(schema, value).issues;
    if (issue === undefined) return [];
    const at = found.isList ? `${found.pointer}/${index}` : found.pointer;
    const reason = `${issue.kind}: expected ${issue.expected}, got ${issue.actual}`;
    return [{ record: { file, pointer: at + issue.pointer, record, reason }, index }];
  });
};

interface PlainCheck {
  readonly is: (value: unknown) => boolean;
}

/** The body without some of its records; `undefined` if it held one record only. */
const without = (body: Members, indices: ReadonlySet<number>): Members | undefined => {
  const found = recordsIn(body)!;
  if (!found.isList) return undefined;
  const path = found.pointer.split("/").slice(1);
  const edit = (value: unknown, [name, ...rest]: ReadonlyArray<string>): unknown =>
    name === undefined
      ? (value as ReadonlyArray<unknown>).filter((_, index) => !indices.has(index))
      : { ...(value as Members), [name]: edit((value as Members)[name], rest) };
  return edit(body, path) as Members;
};

/** Changed files have another hash and fewer records than the manifest says. */
const rewriteManifest = (
  folder: string,
  { announced }: Captured,
  refused: ReadonlyMap<string, ReadonlyArray<Refused>>,
): void => {
  if (announced === undefined) return;
  const entries = announced.flatMap((entry) => {
    const of = refused.get(entry.file);
    if (of === undefined) return [entry];
    const { sha256: _, ...rest } = entry as typeof entry & { readonly sha256?: string };
    const left = entry.records - of.length;
    return left > 0 || Number.isNaN(left) ? [{ ...rest, records: left }] : [];
  });
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(entries));
};
