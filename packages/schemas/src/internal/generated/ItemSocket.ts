/** Generated from the schema of `ItemSocket` by `pnpm generate`. Not to be edited. */

export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 4:
        if (key === "attr") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "type") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "item") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 5:
        if (key === "group") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        }
        break;
      case 7:
        if (key === "sColour") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
    }
  }
  return required === 1;
}
