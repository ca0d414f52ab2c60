/** Generated from the schema of `CurrencyExchangePage` by `pnpm generate`. Not to be edited. */
import { check as checkMarket } from "./Market.ts";

export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 7:
        if (key === "markets") {
          if (!Array.isArray(member)) return false;
          for (let i0 = 0; i0 < member.length; i0++) {
            const element0: unknown = member[i0];
            if (!checkMarket(element0)) return false;
          }
          required++;
        }
        break;
      case 14:
        if (key === "next_change_id") {
          if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
          required++;
        }
        break;
    }
  }
  return required === 2;
}
