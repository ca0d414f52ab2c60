/** Generated from the schema of `ItemFilter` by `pnpm generate`. Not to be edited. */

function part1(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 5:
        if (key === "valid") {
          if (!(typeof member === "boolean")) return false;
          required++;
        }
        break;
      case 7:
        if (key === "version") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 9:
        if (key === "validated") {
          if (!(typeof member === "string" || member === null)) return false;
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
      case 2:
        if (key === "id") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 4:
        if (key === "type") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 5:
        if (key === "realm") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 6:
        if (key === "public") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "filter") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 7:
        if (key === "version") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 10:
        if (key === "validation") {
          if (!(part1(member) || member === null)) return false;
        }
        break;
      case 11:
        if (key === "filter_name") {
          if (!(typeof member === "string")) return false;
          required++;
        } else if (key === "description") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
    }
  }
  return required === 6;
}
