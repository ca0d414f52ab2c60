/** Generated from the schema of `Character` by `pnpm generate`. Not to be edited. */
import { check as checkItem } from "./Item.ts";
import { check as checkPassives } from "./Passives.ts";

function part1(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 7:
        if (key === "version") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
    }
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
        if (key === "realm") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "class") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "level") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        }
        break;
      case 6:
        if (key === "league") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "skills") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItem(element0, 0)) return false;
            }
          }
        } else if (key === "jewels") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItem(element0, 0)) return false;
            }
          }
        }
        break;
      case 7:
        if (key === "expired") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "deleted") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "current") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 8:
        if (key === "ruthless") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "rucksack") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItem(element0, 0)) return false;
            }
          }
        } else if (key === "passives") {
          if (!(checkPassives(member) || member === null)) return false;
        } else if (key === "metadata") {
          if (!(part1(member) || member === null)) return false;
        }
        break;
      case 9:
        if (key === "equipment") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItem(element0, 0)) return false;
            }
          }
        } else if (key === "inventory") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkItem(element0, 0)) return false;
            }
          }
        }
        break;
      case 10:
        if (key === "experience") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        }
        break;
    }
  }
  return required === 5;
}
