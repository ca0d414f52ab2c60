/** Generated from the schema of `PvPMatch` by `pnpm generate`. Not to be edited. */

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
        } else if (key === "pvp") {
          if (!(typeof member === "boolean")) return false;
          required++;
        }
        break;
      case 5:
        if (key === "realm") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "endAt") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "style") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 7:
        if (key === "startAt") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 8:
        if (key === "complete") {
          if (!(typeof member === "boolean" || member === null)) return false;
        } else if (key === "upcoming") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 10:
        if (key === "registerAt") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "inProgress") {
          if (!(typeof member === "boolean" || member === null)) return false;
        }
        break;
      case 11:
        if (key === "description") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 13:
        if (key === "glickoRatings") {
          if (!(typeof member === "boolean")) return false;
          required++;
        }
        break;
    }
  }
  return required === 5;
}
