/**
 * Sets captured records aside that schemas refuse, so that one of them does not end the tour.
 *
 * A client refuses the whole response that holds such a record. The tour therefore serves the
 * response without it, and reports it with its file and pointer. Records of ladders, streams and bare lists stay, because no step ends on them: the step
 * that checks every record counts them.
 */
import {
  type Captured,
  capturedOf,
  readCaptured,
  recordsIn,
  requestedBodies,
} from "@game-data/captured";
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

/** Captured responses without the refused records. */
export interface Served {
  readonly captured: Captured;
  readonly refused: ReadonlyArray<RefusedRecord>;
}

/** Reads a folder, and leaves the refused records out. */
export const readServed = (folder: string): Served => {
  const captured = readCaptured(folder);
  const asked = new Set(requestedBodies(captured));
  const found = captured.bodies.map((one) => ({
    one,
    refused: asked.has(one) ? refusedIn(one.body, one.path) : [],
  }));
  const refused = new Map(found.map(({ one, refused: of }) => [one.path, of.length]));
  if (found.every(({ refused: of }) => of.length === 0)) return { captured, refused: [] };
  const bodies = found.flatMap(({ one, refused: of }) => {
    if (of.length === 0) return [one];
    const body = without(one.body, new Set(of.map(({ index }) => index)));
    return body === undefined ? [] : [{ ...one, body }];
  });
  const announced = captured.announced?.map((entry) => ({
    ...entry,
    records: entry.records - (refused.get(entry.file) ?? 0),
  }));
  return {
    captured: capturedOf({ ...captured, bodies, announced }),
    refused: found.flatMap(({ refused: of }) => of.map(({ record }) => record)),
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
