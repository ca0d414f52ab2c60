/** Generated from the schema of `Profile` by `pnpm generate`. Not to be edited. */

function part1(value: unknown): boolean {
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
        if (key === "uuid") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 6:
        if (key === "locale") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 10:
        if (key === "livestream") {
          if (!(part1(member) || member === null)) return false;
        }
        break;
    }
  }
  return required === 2;
}
