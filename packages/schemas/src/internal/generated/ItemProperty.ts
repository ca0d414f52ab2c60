/** Generated from the schema of `ItemProperty` by `pnpm generate`. Not to be edited. */

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
          if (!Array.isArray(member)) return false;
          for (let i0 = 0; i0 < member.length; i0++) {
            const element0: unknown = member[i0];
            if (!Array.isArray(element0)) return false;
            if (
              !(
                element0.length >= 2 &&
                typeof element0[0] === "string" &&
                Number.isSafeInteger(element0[1]) &&
                (element0[1] as number) >= 0
              )
            )
              return false;
          }
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
