/** Generated from the schema of `PassiveGroup` by `pnpm generate`. Not to be edited. */

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
    if (!(Number.isSafeInteger(element) && (element as number) >= 0)) return false;
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
      case 1:
        if (key === "x") {
          if (!Number.isFinite(member)) return false;
          required++;
        } else if (key === "y") {
          if (!Number.isFinite(member)) return false;
          required++;
        }
        break;
      case 5:
        if (key === "proxy") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "nodes") {
          if (!part1(member)) return false;
          required++;
        }
        break;
      case 6:
        if (key === "orbits") {
          if (!part2(member)) return false;
          required++;
        }
        break;
      case 7:
        if (key === "isProxy") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
    }
  }
  return required === 4;
}
