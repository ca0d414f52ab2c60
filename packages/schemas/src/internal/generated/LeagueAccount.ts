/** Generated from the schema of `LeagueAccount` by `pnpm generate`. Not to be edited. */

function part2(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) {
    const element: unknown = value[i];
    if (!(Number.isSafeInteger(element) && (element as number) >= 0)) return false;
  }
  return true;
}

function part1(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 6:
        if (key === "hashes") {
          if (!part2(member)) return false;
          required++;
        }
        break;
    }
  }
  return required === 1;
}

function part4(value: unknown): boolean {
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
          if (!part2(member)) return false;
          required++;
        }
        break;
    }
  }
  return required === 2;
}

function part3(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) {
    const element: unknown = value[i];
    if (!part4(element)) return false;
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
      case 14:
        if (key === "atlas_passives") {
          if (!(part1(member) || member === null)) return false;
        }
        break;
      case 19:
        if (key === "atlas_passive_trees") {
          if (!part3(member)) return false;
          required++;
        }
        break;
    }
  }
  return required === 1;
}
