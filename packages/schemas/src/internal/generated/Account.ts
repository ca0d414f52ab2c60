/** Generated from the schema of `Account` by `pnpm generate`. Not to be edited. */
import { check as checkGuild } from "./Guild.ts";

function part1(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 3:
        if (key === "set") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "max") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        }
        break;
      case 9:
        if (key === "completed") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        }
        break;
    }
  }
  return required === 3;
}

function part3(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 4:
        if (key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 5:
        if (key === "image") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 6:
        if (key === "status") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
    }
  }
  return required === 3;
}

function part2(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 4:
        if (key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 6:
        if (key === "stream") {
          if (!(part3(member) || member === null)) return false;
        }
        break;
    }
  }
  return required === 1;
}

export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 4:
        if (key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 5:
        if (key === "realm") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "guild") {
          if (!(checkGuild(member) || member === null)) return false;
        }
        break;
      case 10:
        if (key === "challenges") {
          if (!(part1(member) || member === null)) return false;
        } else if (key === "livestream") {
          if (!(part2(member) || member === null)) return false;
        }
        break;
    }
  }
  return required === 1;
}
