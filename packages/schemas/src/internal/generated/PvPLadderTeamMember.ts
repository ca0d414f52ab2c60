/** Generated from the schema of `PvPLadderTeamMember` by `pnpm generate`. Not to be edited. */
import { check as checkAccount } from "./Account.ts";

function part1(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 2:
        if (key === "id") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 4:
        if (key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 5:
        if (key === "level") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        } else if (key === "class") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "score") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        }
        break;
      case 6:
        if (key === "league") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
    }
  }
  return required === 4;
}

export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 6:
        if (key === "public") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 7:
        if (key === "account") {
          if (!checkAccount(member)) return false;
          required++;
        }
        break;
      case 9:
        if (key === "character") {
          if (!part1(member)) return false;
          required++;
        }
        break;
    }
  }
  return required === 2;
}
