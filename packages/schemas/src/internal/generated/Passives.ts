/** Generated from the schema of `Passives` by `pnpm generate`. Not to be edited. */
import { check as checkItemJewelData } from "./ItemJewelData.ts";
import { check as checkPassiveNode } from "./PassiveNode.ts";

function part1(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    if (!checkItemJewelData(member)) return false;
  }
  return true;
}

function part2(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  if (!(value.length === 0)) return false;
  return true;
}

function part3(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    if (!Number.isSafeInteger(member)) return false;
  }
  return true;
}

function part4(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  for (let i0 = 0; i0 < value.length; i0++) {
    const element0: unknown = value[i0];
    if (!(typeof element0 === "string")) return false;
  }
  return true;
}

function part5(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    if (!Array.isArray(member)) return false;
    for (let i0 = 0; i0 < member.length; i0++) {
      const element0: unknown = member[i0];
      if (!Number.isSafeInteger(element0)) return false;
    }
  }
  return true;
}

function part6(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    if (!checkPassiveNode(member)) return false;
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
      case 6:
        if (key === "hashes") {
          if (!Array.isArray(member)) return false;
          for (let i0 = 0; i0 < member.length; i0++) {
            const element0: unknown = member[i0];
            if (!(Number.isSafeInteger(element0) && (element0 as number) >= 0)) return false;
          }
          required++;
        }
        break;
      case 9:
        if (key === "hashes_ex") {
          if (member !== null) {
            if (!Array.isArray(member)) return false;
            for (let i0 = 0; i0 < member.length; i0++) {
              const element0: unknown = member[i0];
              if (!(Number.isSafeInteger(element0) && (element0 as number) >= 0)) return false;
            }
          }
        }
        break;
      case 10:
        if (key === "jewel_data") {
          if (!(part1(member) || part2(member))) return false;
          required++;
        }
        break;
      case 13:
        if (key === "bandit_choice") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 14:
        if (key === "pantheon_major") {
          if (!(typeof member === "string" || member === null)) return false;
        } else if (key === "pantheon_minor") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
      case 15:
        if (key === "mastery_effects") {
          if (!(part3(member) || part2(member) || part4(member) || member === null)) return false;
        } else if (key === "specialisations") {
          if (!(part5(member) || part2(member) || member === null)) return false;
        } else if (key === "skill_overrides") {
          if (!(part6(member) || part2(member))) return false;
          required++;
        }
        break;
      case 20:
        if (key === "alternate_ascendancy") {
          if (
            !(
              typeof member === "string" ||
              (Number.isSafeInteger(member) && (member as number) >= 0) ||
              member === null
            )
          )
            return false;
        }
        break;
    }
  }
  return required === 3;
}
