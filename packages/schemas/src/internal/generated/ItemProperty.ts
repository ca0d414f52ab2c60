/** Generated from the schema of `ItemProperty` by `pnpm generate`. Not to be edited. */

function part2(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  if (value.length < 2) return false;
  return (
    typeof value[0] === "string" && Number.isSafeInteger(value[1]) && (value[1] as number) >= 0
  );
}

function part1(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) {
    const element: unknown = value[i];
    if (!part2(element)) return false;
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
      case 4:
        if (key === "name") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "type") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        } else if (key === "icon") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 6:
        if (key === "values") {
          if (!part1(member)) return false;
          required++;
        } else if (key === "suffix") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 8:
        if (key === "progress") {
          if (!(Number.isFinite(member) || member === null)) return false;
        }
        break;
      case 11:
        if (key === "displayMode") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        }
        break;
    }
  }
  return required === 2;
}
