/** Generated from the schema of `PublicStashPage` by `pnpm generate`. Not to be edited. */
import { check as checkPublicStashChange } from "./PublicStashChange.ts";

function part1(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) {
    const element: unknown = value[i];
    if (!checkPublicStashChange(element)) return false;
  }
  return true;
}

export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 7:
        if (key === "stashes") {
          if (!part1(member)) return false;
          required++;
        }
        break;
      case 14:
        if (key === "next_change_id") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
    }
  }
  return required === 2;
}
