/** Generated from the schema of `PublicStashChange` by `pnpm generate`. Not to be edited. */
import { check as checkListedStash } from "./ListedStash.ts";
import { check as checkUnlistedStash } from "./UnlistedStash.ts";

export function check(value: unknown): boolean {
  return checkListedStash(value) || checkUnlistedStash(value);
}
