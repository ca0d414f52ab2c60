/** Generated from the schema of `GemTab` by `pnpm generate`. Not to be edited. */
import { check as checkGemPage } from "./GemPage.ts";

export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 4:
        if (key === "name") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 5:
        if (key === "pages") {
          if (!Array.isArray(member)) return false;
          for (let i0 = 0; i0 < member.length; i0++) {
            const element0: unknown = member[i0];
            if (!checkGemPage(element0)) return false;
          }
          required++;
        }
        break;
    }
  }
  return required === 1;
}
