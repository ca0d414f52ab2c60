/** What the token store of a folder holds. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface StoredGrant {
  readonly text: string;
  readonly accessToken: string | undefined;
}

/** Reads every entry, without writing. */
export const storedGrants = (folder: string): ReadonlyArray<StoredGrant> => {
  const database = new DatabaseSync(join(folder, "tokens.sqlite"), { readOnly: true });
  const rows = database.prepare("select text from grants").all();
  database.close();
  return rows.map(({ text }) => ({
    text: String(text),
    accessToken: JSON.parse(String(text)).tokens?.accessToken,
  }));
};
