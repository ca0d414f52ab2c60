/** Generated from the schema of `LeagueAccount` by `pnpm generate`. Not to be edited. */

function part1(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 6:
        if (key === "hashes") {
          if (!Array.isArray(member)) return false;
          for (let i0 = 0; i0 < member.length; i0++) {
            const element0: unknown = member[i0];
            if (!(Number.isSafeInteger(element0) && (element0 as number) >= 0)) return false;
          }
          required++;
        }
        break;
    }
  }
  return required === 1;
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
        if (key === "hashes") {
          if (!Array.isArray(member)) return false;
          for (let i0 = 0; i0 < member.length; i0++) {
            const element0: unknown = member[i0];
            if (!(Number.isSafeInteger(element0) && (element0 as number) >= 0)) return false;
          }
          required++;
        }
        break;
    }
  }
  return required === 2;
}

export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 14:
        if (key === "atlas_passives") {
          if (!(part1(member) || member === null)) return false;
        }
        break;
      case 19:
        if (key === "atlas_passive_trees") {
          if (!Array.isArray(member)) return false;
          for (let i0 = 0; i0 < member.length; i0++) {
            const element0: unknown = member[i0];
            if (!part2(element0)) return false;
          }
          required++;
        }
        break;
    }
  }
  return required === 1;
}
