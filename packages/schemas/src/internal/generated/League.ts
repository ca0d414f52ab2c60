/** Generated from the schema of `League` by `pnpm generate`. Not to be edited. */
import { check as checkLeagueRule } from "./LeagueRule.ts";

function part1(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 2:
        if (key === "id") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 7:
        if (key === "current") {
          if (!(typeof member === "boolean" || member === null)) return false;
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
      case 3:
        if (key === "url") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 4:
        if (key === "name") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "goal") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 5:
        if (key === "realm") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "rules") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!checkLeagueRule(element0)) return false;
            }
          }
        } else if (key === "event") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "endAt") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 7:
        if (key === "startAt") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 8:
        if (key === "category") {
          if (!(part1(member) || member === null)) return false;
        }
        break;
      case 10:
        if (key === "registerAt") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "timedEvent") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "scoreEvent") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "delveEvent") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 11:
        if (key === "description") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "leagueEvent") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 13:
        if (key === "ancestorEvent") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
    }
  }
  return required === 1;
}
