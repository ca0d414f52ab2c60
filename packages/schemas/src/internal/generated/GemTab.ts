/** Generated from the schema of `GemTab` by `pnpm generate`. Not to be edited. */
import { check as checkGemPage } from "./GemPage.ts";

function part1(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let i = 0; i < value.length; i++) {
    const element: unknown = value[i];
    if (!checkGemPage(element)) return false;
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
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 5:
        if (key === "pages") {
          if (!part1(member)) return false;
          required++;
        }
        break;
    }
  }
  return required === 1;
}
