/** Generated from the schema of `ItemJewelData` by `pnpm generate`. Not to be edited. */
import { check as checkPassiveGroup } from "./PassiveGroup.ts";
import { check as checkPassiveNode } from "./PassiveNode.ts";

function part2(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    if (!checkPassiveNode(member)) return false;
  }
  return true;
}

function part3(value: unknown): boolean {
  if (!Array.isArray(value)) return false;
  if (!(value.length === 0)) return false;
  return true;
}

function part4(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  for (const key in members) {
    const member = members[key];
    if (!checkPassiveGroup(member)) return false;
  }
  return true;
}

function part1(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 5:
        if (key === "nodes") {
          if (!(part2(member) || part3(member))) return false;
          required++;
        }
        break;
      case 6:
        if (key === "groups") {
          if (!(part4(member) || part3(member))) return false;
          required++;
        }
        break;
    }
  }
  return required === 2;
}

export function check(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const members = value as { readonly [key: string]: unknown };
  let required = 0;
  for (const key in members) {
    const member = members[key];
    switch (key.length) {
      case 4:
        if (key === "type") {
          if (!(typeof member === "string")) return false;
          required++;
        }
        break;
      case 6:
        if (key === "radius") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        }
        break;
      case 8:
        if (key === "subgraph") {
          if (!(part1(member) || member === null)) return false;
        }
        break;
      case 9:
        if (key === "radiusMin") {
          if (!((Number.isSafeInteger(member) && (member as number) >= 0) || member === null))
            return false;
        }
        break;
      case 12:
        if (key === "radiusVisual") {
          if (!(typeof member === "string" || member === null)) return false;
        }
        break;
    }
  }
  return required === 1;
}
