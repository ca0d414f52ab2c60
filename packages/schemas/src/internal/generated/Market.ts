/** Generated from the schema of `Market` by `pnpm generate`. Not to be edited. */

function part1(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    if (!(Number.isSafeInteger(member) && (member as number) >= 0)) return false;
  }
  return true;
}

function part2(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  if (!(value.length === 0)) return false;
  return true;
}

export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 6:
        if (key === "league") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 9:
        if (key === "market_id") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 12:
        if (key === "lowest_stock") {
          if (!(part1(member) || part2(member))) return false;
          required++;
        } else if (key === "lowest_ratio") {
          if (!(part1(member) || part2(member))) return false;
          required++;
        }
        break;
      case 13:
        if (key === "volume_traded") {
          if (!(part1(member) || part2(member))) return false;
          required++;
        } else if (key === "highest_stock") {
          if (!(part1(member) || part2(member))) return false;
          required++;
        } else if (key === "highest_ratio") {
          if (!(part1(member) || part2(member))) return false;
          required++;
        }
        break;
    }
  }
  return required === 7;
}
