/** Generated from the schema of `GemPage` by `pnpm generate`. Not to be edited. */
import { check as checkItemProperty } from "./ItemProperty.ts";

function part1(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) {
    const element: unknown = value[i];
    if (!(typeof element === "string")) return false;
  }
  return true;
}

function part2(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) {
    const element: unknown = value[i];
    if (!checkItemProperty(element)) return false;
  }
  return true;
}

export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 5:
        if (key === "stats") {
          if (!(part1(member) || member === null)) return false;
        }
        break;
      case 9:
        if (key === "skillName") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 10:
        if (key === "properties") {
          if (!(part2(member) || member === null)) return false;
        }
        break;
      case 11:
        if (key === "description") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
    }
  }
  return true;
}
