/**
 * Records that are captured alone, so that a client can request them by name: characters, tabs, and
 * passive trees without a character.
 */
import { basename } from "node:path";
import {
  bodiesWith,
  CapturedError,
  type Files,
  isMembers,
  type Members,
  REALMS,
  type Realm,
  singles,
} from "./Files.ts";

/** A character that is captured with its equipment. */
export interface CapturedCharacter {
  readonly realm: Realm;
  readonly name: string;
  readonly character: Members;
}

/** Returns the single characters of all realms. */
export const charactersIn = (files: Files): ReadonlyArray<CapturedCharacter> =>
  REALMS.flatMap((realm) =>
    singles(files, "character", realm).map((character) => ({
      realm,
      name: String(character["name"]),
      character,
    })),
  );

/** Returns the uuid of the captured profile. */
export const uuidIn = (files: Files): string | undefined => {
  const uuid = bodiesWith(files, "uuid")[0]?.["uuid"];
  return typeof uuid === "string" ? uuid : undefined;
};

/** Returns the ids of the tabs that are captured with their items. */
export const tabIdsIn = (files: Files): ReadonlyArray<string> =>
  singles(files, "stash").map(({ id }) => String(id));

/** A passive tree without its character. */
export interface CapturedTree {
  /** The file's name. */
  readonly of: string;
  /** The number of the class, if it is known. */
  readonly class: number | undefined;
  /** Captured trees may have `hashes` only. */
  readonly passives: Members & { readonly hashes: ReadonlyArray<number> };
}

/** Returns the trees of bare lists of passives. */
export const treesIn = ({ bodies }: Files): ReadonlyArray<CapturedTree> =>
  bodies.flatMap(({ body, path }) =>
    body["kind"] === "Character.passives" && Array.isArray(body["records"])
      ? body["records"].map((record: unknown) => {
          if (!hasHashes(record)) throw new CapturedError(`${path} holds no passives`);
          const { character: number } = record;
          return {
            of: basename(path, ".json"),
            class: typeof number === "number" ? number : undefined,
            passives: record,
          };
        })
      : [],
  );

const hasHashes = (record: unknown): record is CapturedTree["passives"] =>
  isMembers(record) && Array.isArray(record["hashes"]);
